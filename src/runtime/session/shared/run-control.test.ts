import { expect, test } from "vitest";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { createYield } from "../connection/yield-control.ts";
import { createRunControl } from "./run-control.ts";

/** Runs a loop of `count` steps with a control; `events` records when each step passed. */
function startLoop(count: number) {
  let time = 0;
  const passed: number[] = [];
  const control = createRunControl({ turn: createYield(), now: () => (time += 1), onTurn: () => {} });
  const done = (async () => {
    for (let step = 0; step < count; step += 1) {
      await control.pausePoint("step");
      if (control.signal.aborted) return "stopped";
      passed.push(step);
    }
    return "finished";
  })();
  return { control, passed, done };
}

/** Lets the event loop run often enough for everything that is ready. */
async function settle() {
  const turn = createYield();
  for (let index = 0; index < 20; index += 1) await turn();
}

test("a free loop runs to its end", async () => {
  const { done, passed } = startLoop(100);
  expect(await done).toBe("finished");
  expect(passed).toHaveLength(100);
});

test("a message sent while the loop runs is read", async () => {
  const { control, done, passed } = startLoop(1_000_000);
  await createYield()();
  control.stop();
  expect(await done).toBe("stopped");
  expect(passed.length).toBeLessThan(1_000_000);
});

test("pause holds, each step lets one pass, resume lets go", async () => {
  const { control, done, passed } = startLoop(10);
  control.pause();
  await settle();
  const held = passed.length;
  expect(held).toBeLessThan(10);
  control.stepOnce();
  await settle();
  expect(passed).toHaveLength(held + 1);
  await settle();
  expect(passed).toHaveLength(held + 1);
  control.resume();
  expect(await done).toBe("finished");
});

test("stop ends a paused loop", async () => {
  const { control, done } = startLoop(10);
  control.pause();
  await settle();
  control.stop();
  expect(await done).toBe("stopped");
});

test("a pause holds between two passes of a prompt; a single step has all passes of its own", async () => {
  const passed: string[] = [];
  const control = createRunControl({ turn: createYield(), now: () => 0, onTurn: () => {} });
  const done = (async () => {
    for (const before of ["step", "pass", "pass", "pass", "step"] as const) {
      await control.pausePoint(before);
      passed.push(before);
      if (passed.length === 2) control.pause();
    }
  })();
  await settle();
  expect(passed).toEqual(["step", "pass"]);
  control.stepOnce();
  await settle();
  expect(passed).toEqual(["step", "pass", "pass", "pass"]);
  control.resume();
  await done;
  expect(passed.at(-1)).toBe("step");
});

test("what was recorded is told before each pass, however little time has gone by", async () => {
  let turns = 0;
  const control = createRunControl({ turn: createYield(), now: () => 0, onTurn: () => void turns++ });
  await control.pausePoint("step");
  expect(turns).toBe(0);
  await control.pausePoint("pass");
  await control.pausePoint("pass");
  expect(turns).toBe(2);
});

test("a single step after the token of its step has come writes the next token", async () => {
  const control = createRunControl({ turn: createYield(), now: () => 0, onTurn: () => {} });
  control.setBreakpoints([{ id: "a", enabled: true, type: "text", text: "a" }]);
  let written = 0;
  const done = (async () => {
    for (let step = 0; step < 4; step += 1) {
      await control.pausePoint("step");
      control.see(addedRecord(step));
      written += 1;
      await control.pausePoint("event");
    }
  })();
  await settle();
  expect(written).toBe(1);
  control.stepOnce();
  await settle();
  expect(written).toBe(2);
  control.resume();
  await done;
  expect(written).toBe(4);
});

function addedRecord(index: number): TraceRecord {
  return {
    type: "added",
    timeUs: index,
    step: index + 1,
    index,
    tokens: [{ token: 1, text: index === 0 ? "a" : "b" }],
    source: "sampled",
    mod: null,
    isEos: false,
    hidden: false,
    counterfactual: null,
  };
}

test("whoever runs ahead hears of a hold, and not of a turn of the event loop", async () => {
  let time = 0;
  let holds = 0;
  const control = createRunControl({ turn: createYield(), now: () => (time += 100), onTurn: () => {} });
  const noteHold = () => {
    holds += 1;
  };
  const passed = async (at: "step" | "pass" | "event") => control.pausePoint(at, noteHold);
  await passed("step");
  await passed("pass");
  await passed("event");
  expect(holds).toBe(0);
  control.pause();
  const held = passed("step");
  await settle();
  expect(holds).toBe(1);
  control.resume();
  await held;
});

test.each(["resume", "stop", "stepOnce"] as const)("a %s called within `onPaused` counts", async (call) => {
  let pauses = 0;
  const control = createRunControl({
    turn: createYield(),
    now: () => 0,
    onTurn: () => {},
    onPaused: () => {
      pauses += 1;
      control[call]();
    },
  });
  control.pause();
  let passed = 0;
  const done = (async () => {
    for (; passed < 5 && !control.signal.aborted; passed += 1) await control.pausePoint("step");
  })();
  await done;
  expect(pauses).toBe(call === "stepOnce" ? 5 : 1);
});
