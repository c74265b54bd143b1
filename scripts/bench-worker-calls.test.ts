import { expect, onTestFinished, test } from "vitest";
import { StepLimitError } from "../e2e/bench/decode/timed-step.ts";
import { answerCalls, type Calls, callsTo } from "../e2e/bench/decode/worker-calls.ts";

const functions = {
  add: (a: number, b: number) => a + b,
  hang: () => new Promise<void>(() => {}),
  fail: () => Promise.reject(new Error("no adapter")),
  // A function cannot be posted to the page.
  unpostable: (): unknown => () => 1,
};

/** Calls over a real channel, and the lines that were logged. */
function connect(hangMs = 20): { readonly calls: Calls<typeof functions>; readonly lines: string[] } {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  for (const port of [port1, port2]) port.start();
  answerCalls(functions, port2);
  const lines: string[] = [];
  const limitsMs = { add: 60_000, hang: hangMs, fail: 60_000, unpostable: 60_000 };
  const log = (line: string) => void lines.push(line.replace(/[\d.]+ s$/, "T s"));
  return { calls: callsTo<typeof functions>(port1, { who: "ours", limitsMs, log }), lines };
}

test("each call is a line of the log that names who was called and the function", async () => {
  const { calls, lines } = connect();
  expect(await calls.add(1, 2)).toBe(3);
  await expect(calls.fail()).rejects.toThrow("no adapter");
  expect(lines).toEqual(["ours: add: T s", "ours: fail: failed after T s"]);
});

test("a call that does not end fails with an error that names the step and its limit", async () => {
  const { calls, lines } = connect();
  const error = await calls.hang().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StepLimitError);
  expect(error).toMatchObject({
    step: "ours: hang",
    limitMs: 20,
    message: 'The step "ours: hang" did not end within 0.02 s.',
  });
  expect(lines).toEqual(["ours: hang: failed after T s"]);
  // The connection still works.
  expect(await calls.add(2, 2)).toBe(4);
});

test("a value that cannot be posted fails the call, which would wait for ever", async () => {
  const { calls } = connect();
  await expect(calls.unpostable()).rejects.toThrow("could not be cloned");
});
