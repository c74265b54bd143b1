/** The prompt of a command, if no option gives it. */
import { type Terminal, UsageError } from "./terminal.ts";

/** @throws UsageError if there is no prompt. */
export async function readTerminalPrompt({ input }: Terminal): Promise<string> {
  if (input.isTTY)
    throw new UsageError(
      "--prompt is missing, and standard input is a terminal: give --prompt, or pipe the prompt in.",
    );
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of input) {
    text += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
  }
  // Removes the line break that the shell adds at the end.
  const prompt = (text + decoder.decode()).replace(/\r?\n$/, "");
  if (prompt === "")
    throw new UsageError(
      "--prompt is missing, and standard input is empty: give --prompt, or pipe the prompt in.",
    );
  return prompt;
}
