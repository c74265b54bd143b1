import { describe, expect, test } from "vitest";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import type { LayersOpening } from "../../../runtime/session/page-side/layers.ts";
import type { RunHandle, RunOptions, Session } from "../../../runtime/session/page-side/session.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";
import { createRunStore } from "./run-store.ts";

const request = { requestId: "r", messages: [], mods: [] } as unknown as RunRequest;

/** A session whose runs the test drives by hand. */
function handDriven() {
  const frames: (() => void)[] = [];
  const calls: string[] = [];
  let deliver: (records: readonly TraceRecord[]) => void = () => {};
  let tell: (share: number) => void = () => {};
  let open: NonNullable<RunOptions["onOpening"]> = () => {};
  let end: { resolve: () => void; reject: (cause: Error) => void } = { resolve() {}, reject() {} };
  const session = {
    run(_request: RunRequest, onRecords: typeof deliver, { onCaughtUp, onOpening }: RunOptions): RunHandle {
      deliver = onRecords;
      tell = (share) => onCaughtUp?.(share);
      open = (opening) => onOpening?.(opening);
      const done = new Promise<void>((resolve, reject) => {
        end = { resolve, reject };
      });
      const note = (name: string) => () => void calls.push(name);
      return {
        done,
        stop: note("stop"),
        pause: note("pause"),
        resume: note("resume"),
        stepOnce: note("step"),
        stepEvent: note("stepEvent"),
        setBreakpoints: note("breakpoints"),
      };
    },
  } as unknown as Session;
  const store = createRunStore(session, (flush) => void frames.push(flush));
  return {
    store,
    calls,
    frames,
    tell: (share: number) => tell(share),
    open: (opening: LayersOpening | null) => open(opening),
    deliver: (records: readonly TraceRecord[]) => deliver(records),
    end: (cause?: Error) => (cause ? end.reject(cause) : end.resolve()),
  };
}

test("records of one frame arrive together", () => {
  const { store, frames, deliver } = handDriven();
  store.getState().run(request, ["a"]);
  deliver([requestRecord()]);
  deliver([{ type: "prefilled", timeUs: 1, tokens: [], originalLength: null }]);
  expect(store.getState().version).toBe(0);
  expect(frames).toHaveLength(1);
  frames[0]?.();
  expect(store.getState().version).toBe(1);
  expect(store.getState().trace.records).toHaveLength(2);
});

test("what waits for a frame is shown when the run ends", async () => {
  const { store, deliver, end } = handDriven();
  store.getState().run(request, []);
  deliver([requestRecord()]);
  end();
  await Promise.resolve();
  expect(store.getState().status).toBe("finished");
  expect(store.getState().trace.records).toHaveLength(1);
});

test("a run that could not start says why", async () => {
  const { store, end } = handDriven();
  store.getState().run(request, []);
  end(new Error("The mod has no default export."));
  await new Promise((resolve) => setTimeout(resolve));
  expect(store.getState()).toMatchObject({
    status: "empty",
    failure: null,
    startFailure: "The mod has no default export.",
  });
});

test.each<[string, (store: ReturnType<typeof handDriven>) => void | Promise<void>, string | null]>([
  ["fails to start", ({ store }) => store.getState().fail("No model."), "No model."],
  ["is stopped while it starts", ({ store }) => store.getState().stop(), null],
  [
    "ends before its first record",
    async ({ store, end }) => {
      store.getState().run(request, ["b"]);
      end(new Error("No model is loaded."));
      await new Promise((resolve) => setTimeout(resolve));
    },
    "No model is loaded.",
  ],
])("a run that %s leaves the one before on the page", async (_what, act, startFailure) => {
  const driven = handDriven();
  const { store, deliver, end } = driven;
  store.getState().run(request, ["a"]);
  deliver([requestRecord({ seed: 1 })]);
  end();
  await new Promise((resolve) => setTimeout(resolve));
  const { trace } = store.getState();
  store.getState().begin();
  expect(store.getState()).toMatchObject({ status: "starting", trace });
  await act(driven);
  expect(store.getState()).toMatchObject({ status: "finished", modIds: ["a"], startFailure });
  expect(store.getState().trace).toBe(trace);
  store.getState().forgetStartFailure();
  expect(store.getState().startFailure).toBeNull();
});

test.each(["fails to start", "is stopped while it starts"])(
  "a run that %s, begun while another is paused, leaves the other one ended",
  async (what) => {
    const { store, calls, deliver, end } = handDriven();
    store.getState().run(request, ["a"]);
    deliver([requestRecord({ seed: 1 })]);
    store.getState().pause();
    const { trace } = store.getState();
    store.getState().begin();
    expect(calls.slice(-2)).toEqual(["pause", "stop"]);
    deliver([{ type: "prefilled", timeUs: 1, tokens: [], originalLength: null }]);
    end(new DOMException("The run was stopped.", "AbortError"));
    await new Promise((resolve) => setTimeout(resolve));
    expect(store.getState()).toMatchObject({ status: "starting", trace });
    if (what === "fails to start") store.getState().fail("The mod does not compile.");
    else store.getState().stop();
    expect(store.getState()).toMatchObject({ status: "finished", pausedAt: null, modIds: ["a"] });
    expect(store.getState().trace).toBe(trace);
    expect(store.getState().version).toBe(trace.version);
    store.getState().run(request, ["b"]);
    expect(store.getState()).toMatchObject({ status: "running", modIds: ["b"] });
  },
);

test("a run that fails to start, begun while another has no record yet, leaves the run before both", async () => {
  const { store, deliver, end } = handDriven();
  store.getState().run(request, ["a"]);
  deliver([requestRecord({ seed: 1 })]);
  end();
  await new Promise((resolve) => setTimeout(resolve));
  const { trace } = store.getState();
  store.getState().begin();
  store.getState().run(request, ["b"]);
  store.getState().begin();
  end(new DOMException("The run was stopped.", "AbortError"));
  await new Promise((resolve) => setTimeout(resolve));
  store.getState().fail("No model.");
  expect(store.getState()).toMatchObject({ status: "finished", modIds: ["a"], startFailure: "No model." });
  expect(store.getState().trace).toBe(trace);
});

/** The last run comes from the page's database, and late: the user may have pressed Run by then. */
describe("the run that the page was left with", () => {
  const left = createTraceModel();
  const about = {
    id: "left",
    modIds: [],
    from: null,
    recorded: false,
    interrupted: false,
    saved: "listed",
  } as const;

  test("leaves it said that a run could not start", () => {
    const { store } = handDriven();
    store.getState().begin();
    store.getState().fail("It does not compile.");
    store.getState().restore(left, about);
    expect(store.getState()).toMatchObject({
      ...about,
      status: "finished",
      startFailure: "It does not compile.",
    });
  });

  test("comes back when the run that was being prepared does not start", () => {
    const { store } = handDriven();
    store.getState().begin();
    store.getState().restore(left, about);
    expect(store.getState().status).toBe("starting");
    store.getState().fail("It does not compile.");
    expect(store.getState()).toMatchObject({
      ...about,
      status: "finished",
      startFailure: "It does not compile.",
    });
  });

  test("does not take the place of one that runs", () => {
    const { store } = handDriven();
    store.getState().run(request, ["a"]);
    store.getState().restore(left, about);
    expect(store.getState()).toMatchObject({ status: "running", modIds: ["a"] });
  });
});

test("a run that broke in its middle is shown with what it wrote and why it broke", async () => {
  const { store, deliver, end } = handDriven();
  store.getState().run(request, []);
  deliver([requestRecord()]);
  end(new Error("The engine stopped."));
  await new Promise((resolve) => setTimeout(resolve));
  expect(store.getState()).toMatchObject({ status: "failed", failure: "The engine stopped.", version: 1 });
});

test("what was begun is wanted until it is stopped or begun anew", () => {
  const { store } = handDriven();
  const first = store.getState().begin();
  expect(first.aborted).toBe(false);
  const second = store.getState().begin();
  expect([first.aborted, second.aborted]).toEqual([true, false]);
  store.getState().stop();
  expect(second.aborted).toBe(true);
});

test("late records of an earlier run do not touch the next", () => {
  const first = handDriven();
  first.store.getState().run(request, []);
  const deliverFirst = first.deliver;
  deliverFirst([requestRecord({ seed: 1 })]);
  first.store.getState().run(request, []);
  first.frames[0]?.();
  expect(first.store.getState().trace.records).toHaveLength(0);
  expect(first.store.getState().version).toBe(0);
});

test("pause, step and resume reach the run only when they make sense", () => {
  const { store, calls } = handDriven();
  store.getState().pause();
  store.getState().resume();
  store.getState().run(request, []);
  store.getState().stepOnce();
  expect(store.getState().status).toBe("paused");
  store.getState().stepOnce();
  store.getState().resume();
  store.getState().stop();
  expect(calls).toEqual(["breakpoints", "pause", "step", "step", "resume", "stop"]);
});

test("while the mods of a branch are told what was before it, it says how much they know", async () => {
  const { store, tell, deliver, frames } = handDriven();
  store.getState().run(request, ["a"]);
  tell(0.4);
  expect(store.getState()).toMatchObject({ status: "running", caughtUp: 0.4 });
  deliver([requestRecord()]);
  frames.shift()?.();
  expect(store.getState()).toMatchObject({ version: 1, caughtUp: null });
});

test("a run that is too long to be played says so, until another one is shown", () => {
  const { store } = handDriven();
  const long = createTraceModel();
  const end = { type: "scored", timeUs: 0, index: 0, logprobs: [], distributions: [] } as const;
  long.append([requestRecord(), ...Array.from({ length: 100_000 }, () => end)]);
  store.getState().show(long);
  expect(store.getState().play()).toBe(false);
  expect(store.getState().playRefusal).toMatchObject({
    trace: long,
    words: expect.stringContaining("100,001 events"),
  });
});

describe("while the model's layers are opened", () => {
  const progress = { stage: "compile", file: "", loadedBytes: 0, totalBytes: 0, fromCache: false } as const;

  test("it is known since when, until they are open", () => {
    const { store, open } = handDriven();
    store.getState().run(request, ["a"]);
    expect(store.getState().opening).toBeNull();
    open({ model: "m", progress: null });
    const startedMs = store.getState().opening?.startedMs;
    expect(startedMs).toBeGreaterThan(0);
    open({ model: "m", progress });
    expect(store.getState().opening).toEqual({ startedMs, progress });
    open(null);
    expect(store.getState().opening).toBeNull();
  });

  test.each<[string, (given: ReturnType<typeof handDriven>) => void]>([
    ["the run fails", ({ end }) => end(new Error("no layers"))],
    ["another run begins", ({ store }) => store.getState().run({ ...request, requestId: "s" }, [])],
    ["another run is shown", ({ store }) => store.getState().show(createTraceModel())],
  ])("it is over when %s", async (_, act) => {
    const given = handDriven();
    given.store.getState().run(request, ["a"]);
    given.open({ model: "m", progress: null });
    act(given);
    await new Promise((resolve) => setTimeout(resolve));
    expect(given.store.getState().opening).toBeNull();
  });
});
