#!/usr/bin/env node
/** `npx midtoken`: the command line. */
import { runCommandLine } from "./cli/command-line.ts";

const stop = new AbortController();
// The first one stops what goes on; after it, the next one ends the process as it always does.
process.once("SIGINT", () => stop.abort(new DOMException("Stopped by Ctrl-C.", "AbortError")));
process.once("SIGTERM", () => stop.abort(new DOMException("Stopped by a signal.", "AbortError")));
// Whoever reads the output has enough of it, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  stop.abort(new DOMException("The reader of the output is gone.", "AbortError"));
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  tell: (text) => void process.stderr.write(`${text}\n`),
  ...(process.stderr.isTTY && { progress: (text: string) => void process.stderr.write(`\r\u001b[K${text}`) }),
  input: process.stdin,
  signal: stop.signal,
  environment: process.env,
});
