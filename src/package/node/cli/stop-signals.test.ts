/**
 * A real process that does not end by itself: the first signal asks it to stop, the second one ends it, whichever signals
 * they are.
 */
import { spawn } from "node:child_process";
import { expect, test } from "vitest";

const program = `
import { stopOnSignals } from "./src/package/node/cli/stop-signals.ts";
const stop = new AbortController();
stopOnSignals(process, stop);
stop.signal.addEventListener("abort", () => console.log(stop.signal.reason.message));
setInterval(() => undefined, 1000);
console.log("ready");
`;

test.each([
  ["SIGINT", "SIGTERM", "Stopped by Ctrl-C."],
  ["SIGTERM", "SIGINT", "Stopped by a signal."],
  ["SIGINT", "SIGINT", "Stopped by Ctrl-C."],
  ["SIGTERM", "SIGTERM", "Stopped by a signal."],
] as const)("%s, then %s", async (first, second, words) => {
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program]);
  const lines = (async function* () {
    for await (const text of child.stdout) yield* String(text).trim().split("\n");
  })();
  const ended = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
  expect((await lines.next()).value).toBe("ready");
  child.kill(first);
  expect((await lines.next()).value).toBe(words);
  child.kill(second);
  expect(await ended).toBe(second);
});
