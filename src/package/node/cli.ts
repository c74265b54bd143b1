#!/usr/bin/env node
/** `npx midtoken`: the command line. */
import { isMainThread, workerData } from "node:worker_threads";
import { messageOf } from "../../core/base/message-of.ts";
import { runInThread, runsUserCode, type ThreadData, terminalInThread } from "./cli/command-thread.ts";
import { stopOnSignals } from "./cli/stop-signals.ts";
import { exitCodes, type Terminal } from "./cli/terminal.ts";

const words = process.argv.slice(2);
if (isMainThread) await runInProcess();
else await run({ ...terminalInThread(), hasProgress: (workerData as ThreadData).hasProgress });

async function runInProcess(): Promise<void> {
  const stop = new AbortController();
  const receivedSignal = stopOnSignals(process, stop);
  // A program that reads the output, such as `head`, has closed it.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    stop.abort(new DOMException("The program that reads the output has stopped reading.", "AbortError"));
  });
  const hasProgress = process.stderr.isTTY;
  if (!runsUserCode(words)) {
    await run({ signal: stop.signal, onHangup, hasProgress });
    return;
  }
  const onStuck = (message: string): void => {
    process.stderr.write(`midtoken: ${message}\n`);
    // The signal ends the process at once. `process.exit` first waits for all threads, on a busy machine for seconds.
    const signal = receivedSignal();
    if (signal) process.kill(process.pid, signal);
    // Without a signal, and in a container whose first process this is: such a process ignores its own signals.
    process.exit(exitCodes.interrupted);
  };
  try {
    const options = { stop: stop.signal, signals: process, onStuck, hasProgress };
    process.exitCode = await runInThread(new URL(import.meta.url), words, options);
  } catch (error) {
    process.stderr.write(`midtoken: ${messageOf(error)}\n`);
    process.exitCode = exitCodes.failed;
  }
}

function onHangup(listener: () => void): () => void {
  process.on("SIGHUP", listener);
  return () => void process.off("SIGHUP", listener);
}

async function run({
  hasProgress,
  ...terminal
}: Pick<Terminal, "signal" | "onHangup"> & ThreadData): Promise<void> {
  // A process that runs the command in a thread needs no commands itself.
  const { runCommandLine } = await import("./cli/command-line.ts");
  process.exitCode = await runCommandLine(words, {
    ...terminal,
    write: (text) => void process.stdout.write(text),
    tell: (text) => void process.stderr.write(`${text}\n`),
    ...(hasProgress && { progress: (text: string) => void process.stderr.write(`\r\u001b[K${text}`) }),
    input: process.stdin,
    environment: process.env,
  });
}
