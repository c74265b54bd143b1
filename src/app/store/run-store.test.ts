import { expect, test } from "vitest";
import type { RunHandle, Session } from "../../session/client.ts";
import type { RunRequest } from "../../session/protocol.ts";
import type { TraceRecord } from "../../trace/format.ts";
import { requestRecord } from "../../trace/testing/trace-builder.ts";
import { createRunStore } from "./run-store.ts";

const request = { requestId: "r", messages: [], mods: [] } as unknown as RunRequest;

/** A session whose runs the test drives by hand. */
function handDriven() {
  const frames: (() => void)[] = [];
  const calls: string[] = [];
  let deliver: (records: readonly TraceRecord[]) => void = () => {};
  let end: { resolve: () => void; reject: (cause: Error) => void } = { resolve() {}, reject() {} };
  const session = {
    run(_request: RunRequest, onRecords: typeof deliver): RunHandle {
      deliver = onRecords;
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
      };
    },
  } as unknown as Session;
  const store = createRunStore(session, (flush) => void frames.push(flush));
  return {
    store,
    calls,
    frames,
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
  expect(store.getState()).toMatchObject({ status: "failed", failure: "The mod has no default export." });
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
  expect(calls).toEqual(["pause", "step", "step", "resume", "stop"]);
});
