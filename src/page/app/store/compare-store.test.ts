/** Two runs on the page: what begins and ends a comparison, where the cursor is, and what the address says. */
import "fake-indexeddb/auto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { firstDivergence } from "../../../core/trace/compare/comparison.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { selectToken } from "../../../core/trace/model/selection.ts";
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import type { RunHandle, Session } from "../../../runtime/session/page-side/session.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";
import { createRunRepository, type RunRepository } from "../../runs/repository.ts";
import { runToSave } from "../../runs/run-to-save.ts";
import { sampleRunPageMetadata } from "../../runs/testing/some-runs.ts";
import { syncComparisonWithAddress } from "./compare-address.ts";
import { createCompareStore } from "./compare-store.ts";
import { createRunStore } from "./run-store.ts";
import { createTestRunHandle } from "./testing/run-handle.ts";

let tests = 0;
let runs: RunRepository;

beforeEach(() => {
  tests += 1;
  runs = createRunRepository(`test.compare.${tests}`);
});
afterEach(() => {
  runs.close();
  vi.useRealTimers();
});

function recordsOf(
  text: string,
  createdAt: number,
  mods: readonly { name: string; source: string }[] = [],
): readonly TraceRecord[] {
  const builder = createTraceBuilder(requestRecord({ createdAt, requestId: `req ${text}`, mods }));
  for (const word of text.split(" ")) {
    const token = { token: word.charCodeAt(0), text: `${word} ` };
    builder.sample(token, {});
    builder.add([token], "sampled");
  }
  return builder.finish("length").records;
}

function traceOf(text: string, createdAt: number): TraceModel {
  const trace = createTraceModel();
  trace.append(recordsOf(text, createdAt));
  return trace;
}

const about = (id: string) => ({ ...sampleRunPageMetadata, id, saved: "listed" as const });

/** A page that shows one run, `a b c d e`, and keeps another, `a b x d e`. */
async function comparing() {
  const run = createRunStore(null);
  run.getState().show(traceOf("a b c d e", 2), about("shown"));
  await runs.save(runToSave(traceOf("a b x d e", 1), { ...sampleRunPageMetadata, id: "other" }));
  return { run, compare: createCompareStore({ run, runs }) };
}

/** The address and the entries of a browser's history. */
function browserAt(address: string) {
  const entries: { url: URL; state: unknown }[] = [
    { url: new URL(address, "https://example.org"), state: null },
  ];
  let at = 0;
  const listeners = new Set<() => void>();
  const url = () => entries[at]?.url as URL;
  const go = (by: number) => {
    at += by;
    for (const listener of [...listeners]) listener();
  };
  const page = {
    location: {
      get pathname() {
        return url().pathname;
      },
      get search() {
        return url().search;
      },
      get hash() {
        return url().hash;
      },
    },
    history: {
      get state() {
        return entries[at]?.state;
      },
      pushState(state: unknown, _title: string, to?: string | URL | null) {
        entries.splice(at + 1, entries.length, { url: new URL(to ?? "", url()), state });
        at += 1;
      },
      replaceState(state: unknown, _title: string, to?: string | URL | null) {
        entries[at] = { url: new URL(to ?? "", url()), state };
      },
      back: () => go(-1),
    },
    addEventListener: (_type: string, listener: () => void) => void listeners.add(listener),
    removeEventListener: (_type: string, listener: () => void) => void listeners.delete(listener),
  };
  return { page, go, address: () => url().href.replace(url().origin, ""), entries };
}

/** A busy machine may take its time. */
const eventually = (check: () => void | Promise<void>) => vi.waitFor(check);

const ready = (compare: ReturnType<typeof createCompareStore>) => {
  const { view } = compare.getState();
  if (view.type !== "ready") throw new Error(`not ready: ${JSON.stringify(view)}`);
  return view;
};

test("the older run stands left, the cursor at the first difference, and the selection of the shown run with it", async () => {
  const { run, compare } = await comparing();
  await compare.getState().compareWith("other");
  const { ids, shown, comparison } = ready(compare);
  expect({ ids, shown }).toEqual({ ids: { left: "other", right: "shown" }, shown: "right" });
  expect(compare.getState().column).toBe(2);
  expect(firstDivergence(comparison)).toBe(2);
  expect(run.getState().selection).toEqual(selectToken(2));
  compare.getState().moveTo(99);
  expect(compare.getState().column).toBe(4);
  expect(run.getState().selection).toEqual(selectToken(4));
  run.getState().select(selectToken(1));
  expect(compare.getState().column).toBe(1);
});

test("the run without the mods stands left, also if it is the newer run", async () => {
  const run = createRunStore(null);
  const withMod = createTraceModel();
  withMod.append(recordsOf("a b c d e", 1, [{ name: "swap", source: "swap" }]));
  run.getState().show(withMod, about("shown"));
  await runs.save(runToSave(traceOf("a b x d e", 2), { ...sampleRunPageMetadata, id: "without" }));
  const compare = createCompareStore({ run, runs });
  await compare.getState().compareWith("without");
  expect(ready(compare).ids).toEqual({ left: "without", right: "shown" });
});

test("another run on the page ends it", async () => {
  const { run, compare } = await comparing();
  await compare.getState().compareWith("other");
  run.getState().show(traceOf("z", 3), about("next"));
  expect(compare.getState().other).toBeNull();
});

test.each([
  ["missing", "not saved in this browser"],
  ["shown", "choose another run"],
])("it says why it cannot: %s", async (id, words) => {
  const { compare } = await comparing();
  await compare.getState().compareWith(id);
  expect(compare.getState().view).toEqual({ type: "failed", message: expect.stringContaining(words) });
});

test("a run that goes on is compared again as it grows, and once more at its end", async () => {
  vi.stubGlobal("document", { hidden: true });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const records = recordsOf("a b c d e", 2);
  let send: (records: readonly TraceRecord[]) => void = () => {};
  let end: () => void = () => {};
  const session = {
    run(_request: RunRequest, onRecords: (records: readonly TraceRecord[]) => void): RunHandle {
      send = onRecords;
      const done = new Promise<void>((resolve) => {
        end = resolve;
      });
      return createTestRunHandle(done);
    },
  } as Partial<Session> as Session;
  const run = createRunStore(session);
  await runs.save(runToSave(traceOf("a b x d e", 1), { ...sampleRunPageMetadata, id: "other" }));
  const compare = createCompareStore({ run, runs });
  run.getState().run({} as RunRequest, []);
  send(records.slice(0, 5));
  vi.advanceTimersByTime(200);
  await eventually(async () => {
    await compare.getState().compareWith("other");
    expect(ready(compare)).toMatchObject({ goesOn: true });
  });
  expect(ready(compare).comparison.right).toEqual([0, 1]);
  send(records.slice(5, 7));
  vi.advanceTimersByTime(100);
  expect(ready(compare).comparison.right).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(500);
  await eventually(() => expect(ready(compare).comparison.right).toEqual([0, 1, 2]));
  send(records.slice(7));
  end();
  await vi.advanceTimersByTimeAsync(100);
  await eventually(() => expect(ready(compare)).toMatchObject({ goesOn: false }));
  expect(ready(compare).comparison.right).toHaveLength(5);
});

test("the address names the run compared with; Back leaves, Forward and a reload bring it back where the cursor was", async () => {
  const { run, compare } = await comparing();
  const { page, go, address } = browserAt("/app/?select=3#x");
  const end = syncComparisonWithAddress({ compare, run }, page);
  await compare.getState().compareWith("other");
  expect(address()).toBe("/app/?select=3&compare=other#x");
  go(-1);
  expect(compare.getState().other).toBeNull();
  expect(address()).toBe("/app/?select=3#x");
  run.getState().select(selectToken(4));
  go(1);
  await eventually(() => expect(compare.getState().column).toBe(4));
  // Its own button goes back, so that the browser's is not needed twice.
  compare.getState().end();
  expect(address()).toBe("/app/?select=3#x");
  end();

  const reloaded = createRunStore(null);
  const again = createCompareStore({ run: reloaded, runs });
  const tab = browserAt("/app/?compare=other");
  const stop = syncComparisonWithAddress({ compare: again, run: reloaded }, tab.page);
  expect(again.getState().other).toBeNull();
  reloaded.getState().show(traceOf("a b c d e", 2), about("shown"));
  reloaded.getState().select(selectToken(1));
  await eventually(() => void ready(again));
  expect(again.getState().column).toBe(1);
  again.getState().end();
  expect(tab.address()).toBe("/app/");
  stop();
});
