#!/usr/bin/env node
/** `npx midtoken`: the command line. */
import { runCommandLine } from "./cli/command-line.ts";

const stop = new AbortController();
// The first signal stops what goes on. After it, any signal ends the process at once, as without these listeners.
const onInterrupt = (): void => stopFor("Stopped by Ctrl-C.");
const onTerminate = (): void => stopFor("Stopped by a signal.");
function stopFor(why: string): void {
  process.off("SIGINT", onInterrupt);
  process.off("SIGTERM", onTerminate);
  stop.abort(new DOMException(why, "AbortError"));
}
process.on("SIGINT", onInterrupt);
process.on("SIGTERM", onTerminate);
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
  onHangup(listener) {
    process.on("SIGHUP", listener);
    return () => void process.off("SIGHUP", listener);
  },
  environment: process.env,
});
