/** A real compiler that replaces its worker in Node. It copies messages like a worker. */
import { compileSource } from "../compile.ts";
import type { CompilerMessage } from "../compiler.ts";

export interface CompileThread {
  /** The port that the compiler under test uses as its worker. */
  readonly worker: Worker;
  /** Sources that it received. */
  readonly sources: readonly string[];
  readonly isEnded: boolean;
  /** Fires the worker's error event: with a message, as when the worker breaks; without one, as when its file cannot be fetched. */
  fail(message?: string): void;
}

export interface CompileThreadOptions {
  /** False for a worker that never reports that it has started. */
  readonly starts?: boolean;
  /** For which sources the compiler never ends. */
  readonly isEndless?: (source: string) => boolean;
}

export function startCompileThread({
  starts = true,
  isEndless = () => false,
}: CompileThreadOptions = {}): CompileThread {
  const sources: string[] = [];
  let isEnded = false;
  const worker = {
    onmessage: null as ((event: { data: CompilerMessage }) => void) | null,
    onerror: null as ((event: { message?: string }) => void) | null,
    postMessage(source: string) {
      sources.push(source);
      if (!isEndless(source)) say({ type: "compiled", result: compileSource(source) });
    },
    terminate() {
      isEnded = true;
    },
  };
  function say(message: CompilerMessage): void {
    const data = structuredClone(message);
    queueMicrotask(() => {
      if (!isEnded) worker.onmessage?.({ data });
    });
  }
  if (starts) say({ type: "ready" });
  return {
    worker: worker as unknown as Worker,
    sources,
    get isEnded() {
      return isEnded;
    },
    fail: (message) => worker.onerror?.({ ...(message !== undefined && { message }) }),
  };
}
