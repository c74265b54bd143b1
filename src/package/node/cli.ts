#!/usr/bin/env node
/** `npx midtoken`: the command line. */
import { runCommandLine } from "./cli/command-line.ts";
import { stopOnSignals } from "./cli/stop-signals.ts";

const stop = new AbortController();
stopOnSignals(process, stop);
// A program that reads the output, such as `head`, has closed it.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  stop.abort(new DOMException("The program that reads the output has stopped reading.", "AbortError"));
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
