/** A run is not lost when its page is left: whole when it ended, as far as it had come when it did not. */
import "fake-indexeddb/auto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { encodeTraceFile } from "../../../core/trace/codec/codec.ts";
import { TRACE_VERSION, type TraceRecord } from "../../../core/trace/format/format.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import type { RunHandle, Session } from "../../../runtime/session/page-side/session.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";
import { hiddenPageDelayMs, updateIntervalMs } from "../../../view/ui/next-frame.ts";
import { createRunRepository, type RunRepository } from "../../runs/repository.ts";
import { startSavingRuns } from "./save-runs.ts";
import { createImportedRunFields } from "./shown-run.ts";
import { createMemoryLocks } from "./testing/memory-locks.ts";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createTestRunHandle } from "./testing/run-handle.ts";
import { createTestStores } from "./testing/test-stores.ts";

const { records } = sampleTrace({ tokens: 60 });
const request = { requestId: "r", messages: [], mods: [] } as unknown as RunRequest;

let tests = 0;
const opened: RunRepository[] = [];

beforeEach(() => {
  // The database and the channel between tabs work by timers that the tests do not turn.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  vi.stubGlobal("document", { hidden: true });
});
afterEach(() => {
  for (const runs of opened.splice(0)) runs.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A browser with its storages and its database; each page of it is a tab's. */
function newBrowser({
  locks = createMemoryLocks() as LockManager | undefined,
  storage = createTestMemoryStorage(),
} = {}) {
  tests += 1;
  const name = `test.save-runs.${tests}`;
  const tabs = new Map<string, Storage>();
  const repository = () => {
    const runs = createRunRepository(name);
    opened.push(runs);
    return runs;
  };
  const runs = repository();
  /** A page of a tab. `leave` ends it as a reload does. */
  const openPage = async (tab = "tab1", broken: Partial<RunRepository> = {}) => {
    let deliver: (some: readonly TraceRecord[]) => void = () => {};
    let end: () => void = () => {};
    let breakDown: (cause: Error) => void = () => {};
    const session: Partial<Session> = {
      run(_request, onRecords): RunHandle {
        deliver = onRecords;
        const done = new Promise<void>((resolve, reject) => {
          end = resolve;
          breakDown = reject;
        });
        return createTestRunHandle(done);
      },
    };
    const tabStorage = tabs.get(tab) ?? createTestMemoryStorage();
    tabs.set(tab, tabStorage);
    const stores = createTestStores({
      session,
      storages: { browser: storage, tab: tabStorage },
      runs: { ...repository(), ...broken },
    });
    const events = new EventTarget();
    // The browser frees the locks of a page that is gone.
    const held: (() => void)[] = [];
    const own = locks && {
      ...locks,
      request: (lock: string, ...rest: unknown[]) => {
        const act = rest.at(-1) as (lock: unknown) => unknown;
        const gone = new Promise<void>((resolve) => held.push(resolve));
        const given = (each: unknown) => Promise.race([act(each), gone]);
        return (locks.request as (...all: unknown[]) => unknown)(lock, ...rest.slice(0, -1), given);
      },
    };
    const stop = startSavingRuns(stores, { locks: own as LockManager | undefined, events, openHistory() {} });
    await settle();
    const free = () => {
      for (const each of held) each();
    };
    return {
      stores,
      leave: async () => {
        events.dispatchEvent(new Event("pagehide"));
        stop();
        free();
        await settle();
      },
      start: () => stores.run.getState().run(request, ["mod-a"]),
      deliver: async (some: readonly TraceRecord[]) => {
        deliver(some);
        // By then they are shown, also where no frame comes.
        await vi.advanceTimersByTimeAsync(updateIntervalMs + hiddenPageDelayMs);
        await idle();
      },
      end: async () => {
        end();
        await settle();
      },
      breakDown: async (message: string) => {
        breakDown(new Error(message));
        await settle();
      },
      /** The page is gone before anything that waits can happen. */
      endAndLeave: async () => {
        end();
        await vi.advanceTimersByTimeAsync(1);
        events.dispatchEvent(new Event("pagehide"));
        stop();
        vi.clearAllTimers();
        free();
        await settle();
      },
    };
  };
  return { name, runs, openPage, storage, tabs };
}

/** Waits until late parts of the page are fetched and the database has done its work, also the work that follows from it. */
async function idle(): Promise<void> {
  await vi.dynamicImportSettled();
  for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) {
    await vi.advanceTimersByTimeAsync(300);
    await idle();
  }
}

const pieceCount = async (runs: RunRepository) => {
  const ids = await runs.growing();
  const pieces = await Promise.all(ids.map((id) => runs.pieces(id)));
  return pieces.flat().length;
};

for (const [where, locks] of [
  ["with locks", createMemoryLocks()],
  ["on a page without locks", undefined],
] as const) {
  test(`a page that is left in mid-run shows what had come, and says that it was interrupted; so does the next, ${where}`, async () => {
    const { runs, openPage } = newBrowser({ locks });
    const page = await openPage();
    page.start();
    for (let at = 0; at < 100; at += 10) await page.deliver(records.slice(at, at + 10));
    await page.leave();
    expect(await pieceCount(runs)).toBeGreaterThan(1);
    for (const _reload of [1, 2]) {
      const again = await openPage();
      const { trace, status, interrupted, modIds, recorded, saved } = again.stores.run.getState();
      expect({ status, interrupted, modIds, recorded, saved }).toEqual({
        status: "finished",
        interrupted: true,
        modIds: ["mod-a"],
        recorded: false,
        saved: "listed",
      });
      expect(trace.records.slice(0, -1)).toEqual(records.slice(0, 100));
      expect(trace.finished).toMatchObject({ reason: "cancelled" });
      await again.leave();
      // From then on it is kept whole.
      expect(await pieceCount(runs)).toBe(0);
      expect(await runs.list()).toMatchObject([{ interrupted: true, finishReason: "cancelled" }]);
    }
  });
}

test("each record is written once while the run goes on", async () => {
  const { runs, openPage } = newBrowser();
  const page = await openPage();
  page.start();
  for (const record of records.slice(0, 80)) await page.deliver([record]);
  await settle();
  const [id = ""] = await runs.growing();
  const pieces = await runs.pieces(id);
  expect(pieces.flatMap((piece) => piece.records)).toEqual(records.slice(0, 80));
  // 80 records in 12 seconds: far fewer pieces than records.
  expect(pieces.length).toBeLessThan(30);
});

test("runs that ended are whole after a reload and in the list, and the next run's pieces do not mix with them", async () => {
  const { runs, openPage } = newBrowser();
  const page = await openPage();
  page.start();
  await page.deliver(records);
  await page.end();
  expect(await pieceCount(runs)).toBe(0);
  expect(page.stores.run.getState().saved).toBe("listed");
  page.start();
  await page.deliver(records.slice(0, 30));
  await page.leave();
  const again = await openPage();
  expect(again.stores.run.getState().trace.records).toHaveLength(31);
  expect((await runs.list()).map(({ interrupted }) => interrupted).toSorted()).toEqual([false, true]);
  const other = await openPage("tab2");
  expect(other.stores.run.getState()).toMatchObject({ interrupted: true });
});

test("a page that is left at the very end of a run has all of it", async () => {
  const { openPage } = newBrowser();
  const page = await openPage();
  page.start();
  await page.deliver(records);
  await page.endAndLeave();
  const again = await openPage();
  const { trace, interrupted } = again.stores.run.getState();
  expect(trace.records).toEqual(records);
  expect(interrupted).toBe(false);
});

test("a run that another one takes the place of is kept as far as it comes, and goes on being kept", async () => {
  const { runs, openPage } = newBrowser();
  const page = await openPage();
  page.start();
  await page.deliver(records.slice(0, 40));
  const other = createTraceModel();
  other.append(records);
  page.stores.run.getState().show(other);
  await page.deliver(records.slice(40, 60));
  await page.end();
  const [metadata] = await runs.list();
  expect(metadata).toMatchObject({ finishReason: "cancelled", recorded: false });
  expect(page.stores.run.getState().trace).toBe(other);
});

test("a run whose engine broke down is kept with the reason", async () => {
  const { runs, openPage } = newBrowser();
  const page = await openPage();
  page.start();
  await page.deliver(records.slice(0, 40));
  await page.breakDown("the device is gone");
  expect(await runs.list()).toMatchObject([{ finishReason: "error", interrupted: false }]);
  await page.leave();
  const again = await openPage();
  const { finished } = again.stores.run.getState().trace;
  expect(finished?.error?.message).toBe("the device is gone");
});

test("a trace that was opened from a file is there after a reload, as one from elsewhere that is not in the list", async () => {
  const { runs, openPage } = newBrowser();
  const page = await openPage();
  const trace = createTraceModel(["timings"]);
  trace.append(records);
  page.stores.run.getState().show(trace);
  await settle();
  await page.leave();
  const again = await openPage();
  const { recorded, saved, trace: shown } = again.stores.run.getState();
  expect({ recorded, saved }).toEqual({ recorded: true, saved: "imported" });
  expect([...shown.leftOut]).toEqual(["timings"]);
  expect(shown.tokens.text).toEqual(trace.tokens.text);
  expect(await runs.list()).toEqual([]);
});

test("a file that was read is kept as it is, at once", async () => {
  const { runs, openPage } = newBrowser();
  const page = await openPage();
  const file = encodeTraceFile({ version: TRACE_VERSION, records });
  const { run } = page.stores;
  const trace = createTraceModel();
  trace.append(records);
  run.getState().showPart(trace, createImportedRunFields());
  expect((await runs.open(run.getState().id))?.bytes).toBeUndefined();
  run.getState().endPart(file);
  await settle();
  const kept = await runs.open(run.getState().id);
  expect(kept).toMatchObject({
    bytes: file,
    isListed: false,
    metadata: { bytes: file.length, recorded: true },
  });
  expect(run.getState()).toMatchObject({ saved: "imported", file: null });
});

test("two tabs keep their own runs, and a run that goes on in one is not closed by the other", async () => {
  const { runs, openPage } = newBrowser();
  const [one, two] = [await openPage("tab1"), await openPage("tab2")];
  one.start();
  two.start();
  await one.deliver(records.slice(0, 50));
  await two.deliver(records.slice(0, 50));
  await settle();
  const three = await openPage("tab3");
  expect(await runs.growing()).toHaveLength(2);
  await one.deliver(records.slice(50));
  await one.end();
  await two.leave();
  await three.leave();
  const again = await openPage("tab2");
  expect(again.stores.run.getState().trace.records).toHaveLength(51);
  expect((await openPage("tab1")).stores.run.getState().trace.records).toEqual(records);
});

test("a browser without a database says so in one sentence from the start, and goes on", async () => {
  // Many messages of browsers have no full stop.
  const fails = () => Promise.reject(new DOMException("No database", "SecurityError"));
  const { openPage } = newBrowser();
  const page = await openPage("tab1", { list: fails, growing: fails, save: fails, addPiece: fails });
  const sentence =
    "Runs and versions of your mods will be lost when you close this tab, because the browser’s database failed: No database. Save runs as files.";
  expect(page.stores.saving.getState().failure).toBe(sentence);
  page.start();
  await page.deliver(records);
  await page.end();
  expect(page.stores.run.getState()).toMatchObject({ status: "finished", saved: "no" });
  expect(page.stores.saving.getState().failure).toBe(sentence);
  expect(page.stores.notices.getState().notices).toEqual([]);
});

test("a browser whose storages are all full says so in one sentence", async () => {
  const full = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
  const { openPage } = newBrowser({ storage: createTestMemoryStorage(0) });
  const page = await openPage("tab1", { save: full, addPiece: full });
  page.stores.settings.getState().change({ theme: "dark" });
  page.stores.breakpoints.getState().add({ type: "text", text: "Max" });
  expect(page.stores.notices.getState().notices.map(({ text }) => text)).toEqual([
    expect.stringContaining("did not save your latest changes (QuotaExceededError)"),
  ]);
  page.start();
  await page.deliver(records);
  await page.end();
  expect(page.stores.saving.getState().failure).toBe(
    "Runs and your latest changes will be lost when you close this tab, because the browser’s storage is full. Delete runs or models that you do not need, or save runs as files.",
  );
  expect(page.stores.notices.getState().notices).toEqual([]);
});

test("a piece that does not fit leaves no gap, and a run that did not fit is kept once there is room", async () => {
  const { runs, openPage } = newBrowser();
  let isFull = false;
  const full = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
  const page = await openPage("tab1", {
    addPiece: (...given) => (isFull ? full() : runs.addPiece(...given)),
    save: (run) => (isFull ? full() : runs.save(run)),
  });
  page.start();
  await page.deliver(records.slice(0, 40));
  await settle();
  isFull = true;
  await page.deliver(records.slice(40, 60));
  await settle();
  // The run grows: there is nothing to try again before its end.
  expect(page.stores.saving.getState()).toMatchObject({
    failure: expect.stringContaining("storage is full"),
    canRetry: false,
  });
  isFull = false;
  await page.deliver(records.slice(60, 100));
  await page.leave();
  const again = await openPage("tab1", { save: (run) => (isFull ? full() : runs.save(run)) });
  expect(again.stores.run.getState().trace.records.slice(0, -1)).toEqual(records.slice(0, 100));

  isFull = true;
  again.start();
  await again.deliver(records);
  await again.end();
  expect(again.stores.saving.getState()).toMatchObject({
    failure: expect.stringContaining("storage is full"),
    canRetry: true,
  });
  isFull = false;
  again.stores.saving.getState().retry();
  await settle();
  expect(again.stores.saving.getState().failure).toBeNull();
  expect(again.stores.run.getState().saved).toBe("listed");
  expect(await runs.list()).toHaveLength(2);
});
