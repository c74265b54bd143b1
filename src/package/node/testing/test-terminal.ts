/** A terminal that records what is written to it. */
import { channel } from "node:diagnostics_channel";
import { runCommandLine } from "../cli/command-line.ts";

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

export interface RunMidtokenOptions {
  readonly input?: readonly string[];
  readonly isTTY?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Replaces SIGHUP. */
  readonly onHangup?: (listener: () => void) => () => void;
  /** Called with each line of `tell`. */
  readonly onTell?: (line: string) => void;
  /** Called with each text of `write`. */
  readonly onWrite?: (text: string) => void;
}

export async function runMidtoken(
  words: readonly string[],
  options: RunMidtokenOptions = {},
): Promise<CommandResult> {
  const { input = [], isTTY = false, environment = {}, signal = new AbortController().signal } = options;
  let out = "";
  let errors = "";
  // `npm run remote -- keys` searches the terminals of all tests.
  const recorded = channel("midtoken:terminal");
  const code = await runCommandLine(words, {
    write(text) {
      out += text;
      recorded.publish(text);
      options.onWrite?.(text);
    },
    tell(line) {
      errors += `${line}\n`;
      recorded.publish(line);
      options.onTell?.(line);
    },
    input: Object.assign(
      (async function* () {
        yield* input;
      })(),
      { isTTY },
    ),
    signal,
    environment,
    ...(options.onHangup && { onHangup: options.onHangup }),
  });
  return { code, out, errors };
}

export const bundledModel = "public/models/stories260k";
