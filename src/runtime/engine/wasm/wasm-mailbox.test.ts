/** An instance of the runtime can be collected after its mailbox is closed, and not before. */
import { expect, test } from "vitest";
import { collectGarbage } from "../../../core/base/testing/collect-garbage.ts";
import { loadPlainRuntime } from "../ort/load-runtime.ts";
import { recordMailboxWaits } from "./wasm-mailbox.ts";
import { openWasmModule } from "./wasm-module.ts";

/** @param turns how often garbage is collected; each time, the heap of all test files in this worker is scanned */
async function collected(count: number, make: () => Promise<object>, turns = 20): Promise<number> {
  let gone = 0;
  const registry = new FinalizationRegistry(() => {
    gone += 1;
  });
  for (let n = 0; n < count; n++) registry.register(await make(), null);
  // The collector finds garbage at once but reports it in a later turn, and a promise that has just settled may hold an
  // object for one turn longer.
  for (let turn = 0; turn < turns && gone < count; turn++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return gone;
}

test("closed, it goes; open, it stays, which is why it is closed", async () => {
  const runtime = await loadPlainRuntime();
  const open = async () => (await recordMailboxWaits(() => runtime.create(1))).module;
  expect(await collected(2, open, 5)).toBe(0);
  const closed = async () => {
    const { module, closeMailbox } = await recordMailboxWaits(() => runtime.create(1));
    await closeMailbox();
    return module;
  };
  expect(await collected(3, closed)).toBe(3);
});

test("what a process says when it ends is not the runtime's to say", async () => {
  process.exitCode = 3;
  try {
    const { close } = await openWasmModule({ threads: 1 });
    close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(process.exitCode).toBe(3);
  } finally {
    process.exitCode = undefined;
  }
});

test("two that are made at once are told apart, and Atomics is as before", async () => {
  const { waitAsync } = Atomics as unknown as { waitAsync: unknown };
  const both = async () => {
    const [one, other] = await Promise.all([openWasmModule({ threads: 1 }), openWasmModule({ threads: 1 })]);
    other.close();
    one.close();
    return one.module;
  };
  expect(await collected(2, both)).toBe(2);
  expect((Atomics as unknown as { waitAsync: unknown }).waitAsync).toBe(waitAsync);
});
