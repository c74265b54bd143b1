import { expect, test } from "vitest";
import { inParallel } from "./in-parallel.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

test("no more at once than asked for, and what came of each in its place", async () => {
  let now = 0;
  let most = 0;
  const results = await inParallel([5, 1, 4, 2, 3], { atOnce: 2 }, async (turns) => {
    now += 1;
    most = Math.max(most, now);
    for (let i = 0; i < turns; i++) await turn();
    now -= 1;
    return turns * 10;
  });
  expect(results).toEqual([50, 10, 40, 20, 30]);
  expect(most).toBe(2);
  expect(await inParallel([], { atOnce: 3 }, turn)).toEqual([]);
});

test("the first failure ends those that are under way, begins no other, and is thrown when they have ended", async () => {
  const begun: number[] = [];
  const ended: unknown[] = [];
  const failure = new Error("the second fails");
  const work = async (item: number, signal: AbortSignal) => {
    begun.push(item);
    if (item === 2) throw failure;
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    await turn();
    ended.push(signal.reason);
    signal.throwIfAborted();
  };
  await expect(inParallel([1, 2, 3, 4], { atOnce: 2 }, work)).rejects.toBe(failure);
  expect(begun).toEqual([1, 2]);
  expect(ended).toEqual([failure]);
});

test("cancelled, it throws the signal's reason", async () => {
  const controller = new AbortController();
  const work = async (_: number, signal: AbortSignal) => {
    controller.abort(new Error("stopped"));
    signal.throwIfAborted();
  };
  const working = inParallel([1, 2, 3], { atOnce: 1, signal: controller.signal }, work);
  await expect(working).rejects.toThrow("stopped");
});
