/**
 * Runs commands that have the user's own code (test files, trusted mods) in a thread. Node hears no signal while code computes
 * on the main thread, so a `check` that never ends would not hear Ctrl-C.
 */
import type { EventEmitter } from "node:events";
import { parentPort, SHARE_ENV, Worker } from "node:worker_threads";
import { messageOf } from "../../../core/base/message-of.ts";
import type { Terminal } from "./terminal.ts";

/** The most milliseconds until the thread confirms a stop. After this time the process ends. */
const longestStopMs = 1_000;

type ToThread = { readonly type: "stop"; readonly message: string } | { readonly type: "hangup" };
type FromThread = { readonly type: "stopping" } | { readonly type: "hangups"; readonly areHeard: boolean };

export interface ThreadData {
  readonly hasProgress: boolean;
}

/** Whether the command runs code of the user outside a sandbox. */
export const runsUserCode = ([command = "", ...words]: readonly string[]): boolean =>
  command === "test" || (command === "serve" && words.includes("--trusted-mods"));

export interface ThreadOptions extends ThreadData {
  readonly stop: AbortSignal;
  /** Emits SIGHUP. */
  readonly signals: EventEmitter;
  /** Called if the thread does not confirm a stop. */
  readonly onStuck: (message: string) => void;
}

/** Runs the program in a thread. Resolves with its exit code; rejects with an exception that it does not catch. */
export function runInThread(
  program: URL,
  words: readonly string[],
  { stop, signals, onStuck, hasProgress }: ThreadOptions,
): Promise<number> {
  const workerData: ThreadData = { hasProgress };
  const thread = new Worker(program, { argv: [...words], env: SHARE_ENV, workerData });
  const send = (message: ToThread): void => thread.postMessage(message);
  let timer: NodeJS.Timeout | undefined;
  const onStop = (): void => {
    const message = messageOf(stop.reason);
    send({ type: "stop", message });
    timer = setTimeout(() => {
      onStuck(message);
      void thread.terminate();
    }, longestStopMs);
  };
  const onHangup = (): void => send({ type: "hangup" });
  thread.on("message", (message: FromThread) => {
    if (message.type === "stopping") clearTimeout(timer);
    else if (message.areHeard) signals.on("SIGHUP", onHangup);
    else signals.off("SIGHUP", onHangup);
  });
  stop.addEventListener("abort", onStop);
  return new Promise<number>((resolve, reject) => thread.once("exit", resolve).once("error", reject)).finally(
    () => {
      clearTimeout(timer);
      stop.removeEventListener("abort", onStop);
      signals.off("SIGHUP", onHangup);
    },
  );
}

/** The part of the terminal that the thread gets from the process. */
export function terminalInThread(): Pick<Terminal, "signal" | "onHangup"> {
  const stop = new AbortController();
  const send = (message: FromThread): void => parentPort?.postMessage(message);
  let hangup: (() => void) | null = null;
  parentPort?.on("message", (message: ToThread) => {
    if (message.type === "hangup") {
      hangup?.();
      return;
    }
    send({ type: "stopping" });
    stop.abort(new DOMException(message.message, "AbortError"));
  });
  // The thread ends when its command has ended.
  parentPort?.unref();
  const onHangup = (listener: () => void): (() => void) => {
    hangup = listener;
    send({ type: "hangups", areHeard: true });
    return () => {
      hangup = null;
      send({ type: "hangups", areHeard: false });
    };
  };
  return { signal: stop.signal, onHangup };
}
