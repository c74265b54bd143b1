/** Observes the engine threads that a test starts, and finds out which of them computes without an end. The threads are real. */
import diagnostics from "node:diagnostics_channel";
import type { EventLoopUtilization } from "node:perf_hooks";
import type { Worker } from "node:worker_threads";
import type { EndlessKind } from "../../../runtime/engine/testing/endless-models.ts";
import type { EngineMessage } from "../../../runtime/session/shared/protocol.ts";

interface Watched {
  /** The last message that the thread sent. */
  last: EngineMessage | null;
  readonly onMessage: (message: EngineMessage) => void;
}

const pauseMs = 50;
/** After this many checks in a row that find the thread busy and without a message, its work counts as endless: a pass of the bundled model takes only a few milliseconds. */
const looks = 6;

export class EngineThreadObserver {
  readonly #threads = new Map<Worker, Watched>();

  /** Observes every thread that this process starts from now on, until `stop`. */
  constructor() {
    diagnostics.subscribe("worker_threads", this.#onThread);
  }

  stop(): void {
    diagnostics.unsubscribe("worker_threads", this.#onThread);
    for (const [thread, { onMessage }] of this.#threads) thread.off("message", onMessage);
    this.#threads.clear();
  }

  /**
   * Resolves when a thread computes without a pause and without a message, in the work that never ends for this kind of
   * model. If the machine stops the thread meanwhile, this may resolve too early; a stop then comes before the endless work.
   */
  async untilEndless(kind: EndlessKind): Promise<void> {
    const begun = isBegun[kind];
    for (;;) {
      for (const [thread, { last }] of this.#threads)
        if (last && begun(last) && (await this.#isStuck(thread))) return;
      await pause();
    }
  }

  async #isStuck(thread: Worker): Promise<boolean> {
    const last = this.#threads.get(thread)?.last;
    let before: EventLoopUtilization = thread.performance.eventLoopUtilization();
    for (let look = 0; look < looks; look++) {
      await pause();
      const after = thread.performance.eventLoopUtilization();
      if (after.idle > before.idle || this.#threads.get(thread)?.last !== last) return false;
      before = after;
    }
    return true;
  }

  readonly #onThread = (message: unknown): void => {
    const { worker: thread } = message as { readonly worker: Worker };
    const watched: Watched = {
      last: null,
      onMessage(heard) {
        watched.last = heard;
      },
    };
    this.#threads.set(thread, watched);
    thread.on("message", watched.onMessage);
    thread.once("exit", () => this.#threads.delete(thread));
  };
}

const atLoad = ({ type }: EngineMessage) => type === "tokenizerStarted";
const atPrompt = ({ type }: EngineMessage) => type === "promptStarted";

/** Whether this is the last message that a thread sends before the endless work. */
const isBegun: Readonly<Record<EndlessKind, (message: EngineMessage) => boolean>> = {
  "template at load": atLoad,
  "tokenizer at load": atLoad,
  "graph at load": (message) => message.type === "progress" && message.progress.stage !== "download",
  "template at the prompt": atPrompt,
  "tokenizer at the prompt": atPrompt,
  "graph in a pass": ({ type }) => type === "records" || type === "memory",
};

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
