/**
 * The mailbox of an instance of the runtime: its threads ask the thread that made the instance to do work for them, and wake
 * it with `Atomics.waitAsync` (Emscripten's `_emscripten_thread_mailbox_await`). That wait never ends, so the JavaScript
 * engine keeps the instance and its whole heap for ever: 20 models that were loaded and disposed of took 640 MB. The runtime
 * exports no function that ends the wait. So this file records the wait while an instance is made, and `close` wakes it a
 * last time.
 */

/** The arguments of `Atomics.waitAsync`. */
type Wait = readonly [array: Int32Array, index: number, value: number];
type WaitAsync = (...wait: Wait) => { readonly async: boolean; readonly value: PromiseLike<string> };

const atomics = Atomics as unknown as { waitAsync?: WaitAsync };
const { waitAsync } = atomics;

/** Number of instances that are being made. */
let makers = 0;
let noted: Wait[] = [];
/** Waits that `close` is ending. */
const ending: Wait[] = [];

/**
 * Makes an instance, and records the waits for messages that it begins. @returns the instance, and a function that ends
 * these waits, so that its heap is freed once nobody calls the instance any more
 */
export async function recordMailboxWaits<Module extends { readonly HEAP32: Int32Array }>(
  make: () => Promise<Module>,
): Promise<{ readonly module: Module; readonly closeMailbox: () => Promise<void> }> {
  makers += 1;
  listen();
  try {
    const module = await make();
    const own = noted.filter(([array]) => array.buffer === module.HEAP32.buffer);
    return { module, closeMailbox: () => endAll(own.splice(0)) };
  } finally {
    makers -= 1;
    if (makers === 0) noted = [];
    listen();
  }
}

/** Replaces `Atomics.waitAsync` while instances are being made or ended. */
function listen(): void {
  if (!waitAsync) return;
  atomics.waitAsync = makers > 0 || ending.length > 0 ? heard : waitAsync;
}

const heard: WaitAsync = (...wait) => {
  // The runtime waits again as soon as it is woken, but no message will follow.
  if (ending.some((each) => isSame(each, wait))) return never;
  const result = waitAsync?.apply(Atomics, [...wait]) ?? never;
  if (makers > 0) {
    noted.push(wait);
    // Runs before the runtime's own reaction to the promise: see `endAll`.
    void result.value.then(() => {
      exitCode = processHere?.exitCode;
    });
  }
  return result;
};

/** The exit code that the process will have, in Node. */
const { process: processHere } = globalThis as { process?: { exitCode?: unknown } };
let exitCode: unknown;

// biome-ignore lint/suspicious/noThenProperty: what the runtime calls on the promise that it gets
const never = { async: true, value: { then: () => undefined as never } };

const isSame = ([a, at]: Wait, [b, other]: Wait): boolean => a.buffer === b.buffer && at === other;

async function endAll(waits: readonly Wait[]): Promise<void> {
  for (const wait of waits) {
    // Waits wake in the order in which they began, so this one is the last.
    const last = waitAsync?.apply(Atomics, [...wait]);
    if (!last?.async) continue;
    ending.push(wait);
    listen();
    try {
      Atomics.notify(wait[0], wait[1]);
      await last.value;
    } finally {
      // An instance that was woken without a message assumes that its program has ended, and in Node sets the process's exit
      // code.
      if (processHere && processHere.exitCode !== exitCode) processHere.exitCode = exitCode;
      ending.splice(ending.indexOf(wait), 1);
      listen();
    }
  }
}
