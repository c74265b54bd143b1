import { expect, test } from "vitest";
import { Mutex } from "./mutex.ts";

test("work does not overlap, keeps its order, and survives a rejection", async () => {
  const mutex = new Mutex();
  const log: string[] = [];
  const work = (name: string, fails = false) =>
    mutex.run(async () => {
      log.push(`${name} starts`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const results = await Promise.allSettled([work("a"), work("b", true), work("c")]);
  expect(log).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await work("d")).toBe("d");
});

test("idle work starts at once", () => {
  let started = false;
  void new Mutex().run(async () => {
    started = true;
  });
  expect(started).toBe(true);
});
