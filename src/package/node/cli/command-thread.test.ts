/** Real threads with programs of a few lines: code that computes without end does not keep a process from ending. */
import { EventEmitter } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { runInThread, runsUserCode } from "./command-thread.ts";

afterEach(() => void vi.useRealTimers());

const begin = `
import { parentPort } from "node:worker_threads";
const hear = (areHeard) => parentPort.postMessage({ type: "hangups", areHeard });
hear(true);
`;

/** Starts a program, and resolves when it has said that it hears SIGHUP. */
async function start(program: string) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const [stop, signals, onStuck] = [new AbortController(), new EventEmitter(), vi.fn()];
  const until = (change: "newListener" | "removeListener") =>
    new Promise<void>((resolve) => {
      signals.on(change, (name) => name === "SIGHUP" && resolve());
    });
  const [hears, hearsNoMore] = [until("newListener"), until("removeListener")];
  const address = new URL(`data:text/javascript,${encodeURIComponent(begin + program)}`);
  const options = { stop: stop.signal, signals, onStuck, hasProgress: false };
  const code = runInThread(address, ["test"], options);
  await hears;
  return { stop: () => stop.abort(new Error("Stopped by Ctrl-C.")), signals, hearsNoMore, onStuck, code };
}

test("the process is told of a thread that does not confirm a stop", async () => {
  const { stop, onStuck, code } = await start("for (;;);");
  stop();
  await vi.advanceTimersByTimeAsync(900);
  expect(onStuck).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(onStuck).toHaveBeenCalledExactlyOnceWith("Stopped by Ctrl-C.");
  expect(await code).toBe(1);
});

test("a thread that confirms a stop may take its time, and its exit code is the command's", async () => {
  const { stop, hearsNoMore, signals, onStuck, code } = await start(`
    let hangups = 0;
    parentPort.on("message", ({ type, message }) => {
      if (type === "hangup") hangups += 1;
      else parentPort.postMessage({ type: "stopping" });
      if (type === "stop") hear(false);
      if (type === "stop") setTimeout(() => process.exit(hangups * 10 + message.length), 20);
    });
  `);
  signals.emit("SIGHUP");
  stop();
  await hearsNoMore;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await code).toBe(28);
  expect(onStuck).not.toHaveBeenCalled();
});

test("an exception of the thread is the caller's", async () => {
  const { code } = await start(`throw new Error("not today");`);
  await expect(code).rejects.toThrow("not today");
});

test.each<[string, boolean]>([
  ["test a.test.ts", true],
  ["serve --model a --mod b.ts --trusted-mods", true],
  ["serve --model a --mod b.ts", false],
  ["run --prompt test", false],
  ["", false],
])("midtoken %s has code of the user outside a sandbox: %s", (words, isSo) => {
  expect(runsUserCode(words.split(" "))).toBe(isSo);
});
