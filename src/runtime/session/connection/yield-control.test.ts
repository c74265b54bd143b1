import { expect, test } from "vitest";
import { createYield } from "./yield-control.ts";

test("all who wait at the same time get a turn, in their order", async () => {
  const turn = createYield();
  const ended: number[] = [];
  await Promise.all([1, 2, 3].map((number) => turn().then(() => ended.push(number))));
  expect(ended).toEqual([1, 2, 3]);
});
