/** A run is not lost when its page is left: whole when it ended, as far as it had come when it did not. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RunHandle, Session } from "../../session/client.ts";
import type { RunRequest } from "../../session/protocol.ts";
import { encodeTraceFile } from "../../trace/codec.ts";
import { TRACE_VERSION, type TraceRecord } from "../../trace/format.ts";
import { sampleTrace } from "../../trace/testing/sample-trace.ts";
import { createTraceModel } from "../../trace/trace-model.ts";
import { keepLastRun } from "./last-run.ts";
import type { RunTable } from "./run-table.ts";
import { memoryStorage } from "./testing/memory-storage.ts";
import { testStores } from "./testing/test-stores.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const { records } = sampleTrace({ tokens: 60 });
const request = { requestId: "r", messages: [], mods: [] } as unknown as RunRequest;

function memoryTable() {
  const values = new Map<string, unknown>();
  const written: (readonly [string, unknown])[] = [];
  const table: RunTable = {
    read: async (key) => values.get(key),
    readAll: async (prefix) =>
      [...values].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)),
    async write(entries, remove = []) {
      for (const key of [...values.keys()])
        if (remove.some((prefix) => key.startsWith(prefix))) values.delete(key);
      for (const [key, value] of entries) values.set(key, structuredClone(value));
      written.push(...entries);
    },
  };
  return { table, values, written };
}

/** A page of the tab, over the table; `leave` ends it as a reload does. */
async function openPage(table: RunTable, tab = "tab1") {
  let deliver: (records: readonly TraceRecord[]) => void = () => {};
  let end: () => void = () => {};
  const session: Partial<Session> = {
    run(_request, onRecords): RunHandle {
      deliver = onRecords;
      const done = new Promise<void>((resolve) => {
        end = resolve;
      });
      return { done, stop() {}, pause() {}, resume() {}, stepOnce() {} };
    },
  };
  vi.stubGlobal("document", { hidden: true });
  const stores = testStores({ session, storages: { browser: memoryStorage(), tab: memoryStorage() } });
  const events = new EventTarget();
  const leave = keepLastRun(stores, { table, tab: Promise.resolve(tab), events });
  await vi.advanceTimersByTimeAsync(1000);
  const settle = () => vi.advanceTimersByTimeAsync(1000);
  return {
    stores,
    settle,
    leave: async () => {
      events.dispatchEvent(new Event("pagehide"));
      leave();
      await settle();
    },
    start: () => stores.run.getState().run(request, ["mod-a"]),
    deliver: async (some: readonly TraceRecord[]) => {
      deliver(some);
      await vi.advanceTimersByTimeAsync(150);
    },
    end: async () => {
      end();
      await settle();
    },
    /** The page is gone before anything that waits can happen. */
    endAndLeave: async () => {
      end();
      await vi.advanceTimersByTimeAsync(1);
      events.dispatchEvent(new Event("pagehide"));
      leave();
      vi.clearAllTimers();
    },
  };
}

test("a page that is left in mid-run shows what had come, and says that it was interrupted; so does the next", async () => {
  const { table, values } = memoryTable();
  const page = await openPage(table);
  page.start();
  for (let at = 0; at < 100; at += 10) await page.deliver(records.slice(at, at + 10));
  await page.leave();
  const pieces = [...values.keys()].filter((key) => key.startsWith("piece/"));
  expect(pieces.length).toBeGreaterThan(1);

  for (const _reload of [1, 2]) {
    const again = await openPage(table);
    const { trace, status, interrupted, modIds, recorded } = again.stores.run.getState();
    expect({ status, interrupted, modIds, recorded }).toEqual({
      status: "finished",
      interrupted: true,
      modIds: ["mod-a"],
      recorded: false,
    });
    expect(trace.records.slice(0, -1)).toEqual(records.slice(0, 100));
    expect(trace.finished).toMatchObject({ reason: "cancelled" });
    await again.leave();
    // From then on it is kept whole.
    expect([...values.keys()]).toEqual(["run/tab1", "last"]);
  }
});

test("each record is written once while the run goes on", async () => {
  const { table, written } = memoryTable();
  const page = await openPage(table);
  page.start();
  for (const record of records.slice(0, 80)) await page.deliver([record]);
  await page.settle();
  const pieces = written.map(([, value]) => (value as { records: readonly unknown[] }).records.length);
  expect(pieces.reduce((sum, count) => sum + count, 0)).toBe(80);
  // 80 records in 12 seconds: far fewer pieces than records.
  expect(pieces.length).toBeLessThan(30);
});

test("a run that ended is whole after a reload, and the next run's pieces do not mix with it", async () => {
  const { table, values } = memoryTable();
  const page = await openPage(table);
  page.start();
  await page.deliver(records);
  await page.end();
  expect([...values.keys()]).toEqual(["run/tab1", "last"]);
  page.start();
  await page.deliver(records.slice(0, 30));
  await page.leave();
  const again = await openPage(table);
  expect(again.stores.run.getState().trace.records).toHaveLength(31);
  const other = await openPage(table, "tab2");
  expect(other.stores.run.getState()).toMatchObject({ interrupted: true });
});

test("a page that is left at the very end of a run has all of it", async () => {
  const { table } = memoryTable();
  const page = await openPage(table);
  page.start();
  await page.deliver(records);
  await page.endAndLeave();
  const again = await openPage(table);
  const { trace, interrupted } = again.stores.run.getState();
  expect(trace.records).toEqual(records);
  expect(interrupted).toBe(false);
});

test("a trace that was opened from a file is there after a reload, as one from elsewhere", async () => {
  const { table } = memoryTable();
  const page = await openPage(table);
  const trace = createTraceModel(["timings"]);
  trace.append(records);
  page.stores.run.getState().show(trace);
  await page.settle();
  await page.leave();
  const again = await openPage(table);
  const { recorded, trace: shown } = again.stores.run.getState();
  expect(recorded).toBe(true);
  expect([...shown.leftOut]).toEqual(["timings"]);
  expect(shown.tokens.text).toEqual(trace.tokens.text);
});

test("a file that was opened is kept as it is, before anything that waits can happen", async () => {
  const { table, values } = memoryTable();
  const page = await openPage(table);
  const file = new Blob([encodeTraceFile({ version: TRACE_VERSION, records })]);
  const trace = createTraceModel();
  trace.append(records);
  page.stores.run.getState().show(trace, { modIds: [], recorded: true, interrupted: false, file });
  await page.endAndLeave();
  expect(values.get("last")).toMatchObject({ bytes: expect.any(Blob), recorded: true });
  const again = await openPage(table);
  await vi.waitFor(() => expect(again.stores.run.getState().status).toBe("finished"));
  expect(again.stores.run.getState().trace.records).toEqual(records);
});

test("two tabs keep their own runs; runs of long closed tabs go", async () => {
  const { table, values } = memoryTable();
  for (let tab = 0; tab < 12; tab += 1) {
    const page = await openPage(table, `tab${tab}`);
    page.start();
    await page.deliver(records);
    await page.end();
    await page.leave();
  }
  const kept = [...values.keys()].filter((key) => key.startsWith("run/"));
  expect(kept).toHaveLength(8);
  expect(kept).toContain("run/tab11");
  expect(kept).not.toContain("run/tab0");
});

test("a browser without a database says so and goes on", async () => {
  const fails = () => Promise.reject(new Error("no database"));
  const page = await openPage({ read: fails, readAll: fails, write: fails });
  expect(page.stores.notices.getState().notices[0]?.text).toContain(
    "could not be read in this browser: no database",
  );
  page.start();
  await page.deliver(records);
  await page.end();
  expect(page.stores.run.getState().status).toBe("finished");
});
