/** The terminal of a command, or its replacement in a test. */
export interface Terminal {
  /** The command's result. */
  write(text: string): void;
  /** A line for whoever watches: notes, errors. */
  tell(line: string): void;
  /** Shows a text in place of the one before; absent if nobody sees it. "" takes it away. */
  readonly progress?: (text: string) => void;
  readonly input: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean };
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Calls the listener on SIGHUP, until the returned function is called. Absent on a terminal without signals. */
  readonly onHangup?: (listener: () => void) => () => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** As shells and other tools have them. */
export const exitCodes = {
  done: 0,
  /** The request, a mod or a check failed. */
  failed: 1,
  /** The command was not understood. */
  misused: 2,
  interrupted: 130,
} as const;

/** The command cannot be understood as it was given. The message says what to give. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
