/** The interface of a command's terminal, which tests replace. */
export interface Terminal {
  /** Prints the command's result. */
  write(text: string): void;
  /** Prints a line for the user, such as a note or an error. */
  tell(line: string): void;
  /** Shows a text that replaces the previous one; "" removes it. Absent if nobody sees it. */
  readonly progress?: (text: string) => void;
  readonly input: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean };
  /** Aborted by Ctrl-C or SIGTERM, or when the program that reads the output has closed it. */
  readonly signal: AbortSignal;
  /** Calls the listener on SIGHUP, until the returned function is called. Absent on a terminal without signals. */
  readonly onHangup?: (listener: () => void) => () => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The exit codes that shells and other tools use. */
export const exitCodes = {
  done: 0,
  /** A request, a mod or a check failed. */
  failed: 1,
  /** The command line was invalid. */
  misused: 2,
  interrupted: 130,
} as const;

/** The command line is invalid. The message says what to write. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
