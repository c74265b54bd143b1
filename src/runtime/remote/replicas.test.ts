/** Which server and which slot a conversation gets, and who goes on after a server that failed. */
import { expect, test } from "vitest";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { ServerConnection } from "./connection.ts";
import { RemoteEngineError } from "./remote-error.ts";
import { Replica } from "./replica.ts";
import { Replicas } from "./replicas.ts";

function replicaAt(port: number, slots = 2, check?: () => Promise<void>): Replica {
  const connection = new ServerConnection({ url: `http://127.0.0.1:${port}` }, createHttpExchange());
  return new Replica({ connection, slots, ...(check && { check }) });
}

const broken = new RemoteEngineError("broken", "The connection ended.");
const textFrom = (first: number, length = 40) => Array.from({ length }, (_, place) => first + place);

test("each conversation has a slot of its own, and the next turn gets the slot that holds its text", async () => {
  const replica = replicaAt(1, 3);
  const replicas = new Replicas([replica]);
  const places = await Promise.all([0, 1, 2].map((each) => replicas.enter([each])));
  expect(new Set(places.map(({ slot }) => slot))).toEqual(new Set([0, 1, 2]));
  // All slots are taken: the server chooses.
  const further = await replicas.enter([9]);
  expect(further.slot).toBeNull();
  replica.leave(further, [9]);
  for (const [each, place] of places.entries()) replica.leave(place, [each, 10, 11]);
  const again = await replicas.enter([1, 10, 11, 12]);
  expect(again.slot).toBe(places[1]?.slot);
  expect(replica.conversations).toBe(1);
});

test("a text goes to the server of its hash, and the same text again to the same server", async () => {
  const all = [replicaAt(1, 100), replicaAt(2, 100), replicaAt(3, 100)];
  const chosen = async (text: readonly number[]) => {
    const place = await new Replicas(all).enter(text);
    place.replica.leave(place, []);
    return place.replica;
  };
  const counts = new Map(all.map((replica) => [replica, 0]));
  for (let each = 0; each < 300; each++) {
    const replica = await chosen([1, each]);
    expect(await chosen([1, each])).toBe(replica);
    counts.set(replica, (counts.get(replica) ?? 0) + 1);
  }
  for (const count of counts.values()) expect(count).toBeGreaterThan(60);
  // Without one of the servers, the texts of the two others stay where they were.
  const rest = new Replicas(all.slice(0, 2));
  for (let each = 0; each < 100; each++) {
    const replica = await chosen([1, each]);
    const { replica: now } = await rest.enter([1, each]);
    if (replica !== all[2]) expect(now).toBe(replica);
  }
});

test("the next turn goes to the server that holds the text, and a full server gives way to another", async () => {
  const all = [replicaAt(1, 1), replicaAt(2, 1)];
  const replicas = new Replicas(all);
  const first = await replicas.enter(textFrom(0));
  // The same beginning: its server is full.
  const second = await replicas.enter(textFrom(0));
  expect(second.replica).not.toBe(first.replica);
  first.replica.leave(first, textFrom(0, 60));
  second.replica.leave(second, textFrom(500, 60));
  for (let turn = 0; turn < 3; turn++) {
    const place = await replicas.enter(textFrom(500, 80));
    expect(place.replica).toBe(second.replica);
    place.replica.leave(place, textFrom(500, 90));
  }
});

test("after a fault of its server a conversation goes on at another, and the failed one is checked before it is used", async () => {
  let isUp = false;
  let checks = 0;
  const check = async () => {
    checks += 1;
    if (!isUp) throw broken;
  };
  const [a, b] = [replicaAt(1, 2, check), replicaAt(2, 2, check)];
  const replicas = new Replicas([a, b]);
  const place = await replicas.enter([1, 2, 3]);
  const other = place.replica === a ? b : a;
  const next = replicas.moveOn(place, broken, [1, 2, 3]);
  expect(next?.replica).toBe(other);
  expect([place.replica.conversations, other.conversations]).toEqual([0, 1]);
  expect(replicas.moveOn(next as typeof place, broken, [1, 2, 3])).toBeNull();
  await expect(replicas.enter([1])).rejects.toBe(broken);
  isUp = true;
  await replicas.enter([1]);
  expect(checks).toBeGreaterThanOrEqual(3);
  expect([a.hasFailed, b.hasFailed]).toEqual([false, false]);
});

test.each(["refused", "key", "shape"] as const)("a fault of kind %s moves nothing", async (fault) => {
  const [a, b] = [replicaAt(1), replicaAt(2)];
  const replicas = new Replicas([a, b]);
  const place = await replicas.enter([1]);
  expect(replicas.moveOn(place, new RemoteEngineError(fault, "No."), [1])).toBeNull();
});

test("there is a notice about a failed server that may not be used again, and none about one that is still silent", async () => {
  const ready = replicaAt(1);
  const notices: string[] = [];
  const open = (error: RemoteEngineError) => {
    const failed = replicaAt(2, 2, () => Promise.reject(error));
    failed.fail();
    return new Replicas([ready, failed], undefined, (message) => notices.push(message));
  };
  const unfit = open(new RemoteEngineError("settings", "The server has a RAM cache."));
  expect((await unfit.enter([1])).replica).toBe(ready);
  expect((await open(broken).enter([2])).replica).toBe(ready);
  await expect.poll(() => notices).toEqual(["The server has a RAM cache."]);
});

test("a server that is silent does not hold up a conversation that another one can take", async () => {
  const silent = replicaAt(1, 1, () => new Promise(() => {}));
  const ready = replicaAt(2, 1, async () => {});
  for (const replica of [silent, ready]) replica.fail();
  expect((await new Replicas([silent, ready]).enter([1])).replica).toBe(ready);
});
