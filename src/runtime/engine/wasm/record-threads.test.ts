import { afterEach, beforeEach, expect, test } from "vitest";
import { recordThreads, ThreadStartError } from "./record-threads.ts";

/** Replaces the browser's class, which Node lacks. */
class FakeWorker extends EventTarget {
  static readonly made: FakeWorker[] = [];
  isEnded = false;
  onerror: ((event: Event) => void) | null = null;
  constructor(readonly address: string) {
    super();
    if (address === "forbidden") throw new DOMException("The policy forbids it.", "SecurityError");
    FakeWorker.made.push(this);
  }
  terminate(): void {
    this.isEnded = true;
  }
  fail(message: string): Event {
    const event = Object.assign(new Event("error", { cancelable: true }), { message });
    this.addEventListener("error", (each) => this.onerror?.(each));
    this.dispatchEvent(event);
    return event;
  }
}

const original = Object.getOwnPropertyDescriptor(globalThis, "Worker");
beforeEach(() => {
  FakeWorker.made.length = 0;
  Object.defineProperty(globalThis, "Worker", { value: FakeWorker, configurable: true, writable: true });
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, "Worker");
  if (original) Object.defineProperty(globalThis, "Worker", original);
});

test("workers that are made meanwhile are ended together, and later ones are not its", () => {
  const { made, close } = recordThreads(() => [new Worker("a"), new Worker("b")]);
  const other = new Worker("c");
  close();
  expect(made).toHaveLength(2);
  expect(FakeWorker.made.map(({ isEnded }) => isEnded)).toEqual([true, true, false]);
  expect(other).toBeInstanceOf(FakeWorker);
  expect(globalThis.Worker).toBe(FakeWorker);
});

test("a worker that does not start is told, and nobody else hears of it", async () => {
  const { failed } = recordThreads(() => new Worker("a"));
  const [worker] = FakeWorker.made;
  let hasHeard = false;
  if (worker) {
    worker.onerror = () => {
      hasHeard = true;
    };
  }
  const event = worker?.fail("refused to load");
  await expect(failed).rejects.toThrow(new ThreadStartError("refused to load"));
  expect([hasHeard, event?.defaultPrevented]).toEqual([false, true]);
});

test("a worker that cannot be made ends those before it", () => {
  const make = () => {
    new Worker("a");
    return new Worker("forbidden");
  };
  expect(() => recordThreads(make)).toThrow(new ThreadStartError("The policy forbids it."));
  expect(FakeWorker.made.map(({ isEnded }) => isEnded)).toEqual([true]);
  expect(globalThis.Worker).toBe(FakeWorker);
});

test("without workers there is nothing to end", () => {
  Reflect.deleteProperty(globalThis, "Worker");
  const { made, close } = recordThreads(() => 42);
  close();
  expect(made).toBe(42);
});
