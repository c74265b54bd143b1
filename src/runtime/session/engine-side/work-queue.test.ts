import { expect, test } from "vitest";
import { WorkQueue } from "./work-queue.ts";

/** Work that ends when the test says so. */
function work(log: string[], name: string) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async () => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
  };
  return { run, end };
}

const turns = () => new Promise<void>((resolve) => setImmediate(resolve));

test("work that may share runs side by side, and work that is alone waits for all of it", async () => {
  const log: string[] = [];
  const queue = new WorkQueue(() => undefined);
  const [a, b, load, c] = ["a", "b", "load", "c"].map((name) => work(log, name)) as [Work, Work, Work, Work];
  queue.add(a.run, () => true);
  queue.add(b.run, () => true);
  queue.addAlone(load.run);
  queue.add(c.run, () => true);
  await turns();
  expect(log).toEqual(["a begins", "b begins"]);
  b.end();
  a.end();
  await turns();
  expect(log.slice(2)).toEqual(["b ends", "a ends", "load begins"]);
  load.end();
  c.end();
  await queue.ended();
  expect(log.slice(5)).toEqual(["load ends", "c begins", "c ends"]);
});

test("whether work may share is asked when its turn comes", async () => {
  const log: string[] = [];
  const queue = new WorkQueue(() => undefined);
  let isShared = false;
  const [load, a, b] = ["load", "a", "b"].map((name) => work(log, name)) as [Work, Work, Work];
  queue.addAlone(async () => {
    await load.run();
    isShared = true;
  });
  for (const each of [a, b]) queue.add(each.run, () => isShared);
  load.end();
  await turns();
  expect(log).toEqual(["load begins", "load ends", "a begins", "b begins"]);
  a.end();
  b.end();
  await queue.ended();
});

test("work that may not share runs alone, and work that throws is reported and holds up nothing", async () => {
  const log: string[] = [];
  const bugs: unknown[] = [];
  const queue = new WorkQueue((error) => bugs.push(error));
  for (const mayShare of [true, false]) {
    queue.add(
      async () => {
        throw new Error(`shared: ${mayShare}`);
      },
      () => mayShare,
    );
  }
  const [a, b] = ["a", "b"].map((name) => work(log, name)) as [Work, Work];
  for (const each of [a, b]) queue.add(each.run, () => false);
  await turns();
  expect(log).toEqual(["a begins"]);
  a.end();
  b.end();
  await queue.ended();
  expect(log).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  expect(bugs.map(String)).toEqual(["Error: shared: true", "Error: shared: false"]);
});

type Work = ReturnType<typeof work>;
