/** A watched run in the page's store: the store changes once a frame, whatever comes. */
import { expect, test } from "vitest";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { createRunStore } from "../store/run-store.ts";
import { createWatchedRunFeed } from "./shown-live.ts";

/** Frames come when the test says so. */
function shownLive() {
  const run = createRunStore(null, (deliver) => deliver());
  const due: (() => void)[] = [];
  const shown = createWatchedRunFeed(run, (deliver) => void due.push(deliver));
  const seen = { changes: 0 };
  run.subscribe(() => {
    seen.changes += 1;
  });
  const frame = () => {
    for (const deliver of due.splice(0)) deliver();
  };
  return { run, shown, seen, frame };
}

const { records } = sampleTrace({ tokens: 20 });

test("20,000 messages of each kind change the store once in a frame", () => {
  const { run, shown, seen, frame } = shownLive();
  const { sink } = shown;
  for (let count = 0; count < 20_000; count += 1) {
    sink.run();
    sink.records(records.slice(0, 1));
    sink.paused(true);
    sink.paused(false);
    sink.ended("Enough.");
  }
  expect(seen.changes).toBe(0);
  frame();
  expect(seen.changes).toBe(1);
  expect(run.getState()).toMatchObject({ status: "failed", failure: "Enough.", interrupted: false });
});

test("a run that comes is shown as it stands at the frame", () => {
  const { run, shown, frame } = shownLive();
  shown.sink.run();
  frame();
  expect(run.getState()).toMatchObject({ status: "running", recorded: true, pausedAt: null });
  const { id, trace } = run.getState();
  shown.sink.records(records.slice(0, 9));
  shown.sink.paused(true);
  frame();
  expect(run.getState()).toMatchObject({ status: "paused", pausedAt: { records: 9 }, id });
  expect(run.getState().trace).toBe(trace);
  shown.sink.paused(false);
  shown.sink.records(records.slice(9));
  shown.sink.ended(null);
  frame();
  expect(run.getState()).toMatchObject({ status: "finished", failure: null, pausedAt: null });
  expect(run.getState().trace.records).toEqual(records);
});

test("a run whose sharer is gone ends as interrupted, at once; an ended run stays as it ended", () => {
  const { run, shown, frame } = shownLive();
  shown.sink.run();
  shown.sink.records(records.slice(0, 9));
  frame();
  shown.interrupt();
  expect(run.getState()).toMatchObject({ status: "finished", interrupted: true });
  shown.sink.run();
  shown.sink.records(records);
  shown.sink.ended(null);
  shown.interrupt();
  expect(run.getState()).toMatchObject({ status: "finished", interrupted: false });
});

test("before the first run nothing is shown, and another run that the user has shown is left alone", () => {
  const { run, shown, seen, frame } = shownLive();
  shown.interrupt();
  expect(seen.changes).toBe(0);
  shown.sink.run();
  shown.sink.records(records.slice(0, 4));
  frame();
  const mine = createRunStore(null).getState().trace;
  run.setState({ trace: mine, status: "finished" });
  shown.sink.paused(true);
  frame();
  expect(run.getState()).toMatchObject({ trace: mine, status: "finished" });
});
