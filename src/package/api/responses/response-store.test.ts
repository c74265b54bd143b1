/** The store of responses keeps to its limits, and drops the least recently used conversation first. */
import { expect, test } from "vitest";
import { measureRetainedMemory, megabyte } from "../../../core/base/testing/retained-memory.ts";
import { type StoreLimit, storeLimits } from "../store/engine-store.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { finishedStreamEvent, scriptedStart, textStreamEvent } from "../testing/scripted-start.ts";
import { ResponseStore } from "./response-store.ts";
import type { ModelResponse, ResponseItem } from "./response-types.ts";
import { createResponses } from "./responses.ts";

const within = (limit: StoreLimit) => new MemoryStore({ ...storeLimits, response: limit });
const storeOf = (limit: StoreLimit) => new ResponseStore(within(limit));

const responses = createResponses(scriptedStart([[textStreamEvent("Hi"), finishedStreamEvent()]]).start, {
  store: new MemoryStore(),
  onNotice: () => undefined,
});
const example = await responses.create({ model: "m", input: "Hello", stream: false });

const response = (id: string, previous: string | null = null, instructions = ""): ModelResponse => ({
  ...example,
  id,
  previous_response_id: previous,
  instructions,
  output: [],
});
const item = (id: string): ResponseItem => ({
  id,
  type: "message",
  role: "user",
  status: "completed",
  content: [{ type: "input_text", text: id }],
});
const conversation = async (store: ResponseStore, id: string) =>
  (await store.earlierOf({ previous_response_id: id })).conversation(id);
const itemOf = async (store: ResponseStore, id: string) =>
  (await store.earlierOf({ input: [{ id }] })).item(id);
const idsOf = (items: readonly ResponseItem[]) => items.map(({ id }) => id);

test("the oldest is dropped beyond the count; a conversation that goes on stays whole", async () => {
  const store = storeOf({ count: 3, bytes: 1e9 });
  await store.add(response("a"), [item("1")]);
  await store.add(response("b", "a"), [item("2")]);
  await store.add(response("x"), [item("3")]);
  expect(idsOf(await conversation(store, "b"))).toEqual(["1", "2"]);
  await store.add(response("c", "b"), [item("4")]);
  await expect(store.get("x")).rejects.toThrow('There is no response "x"');
  expect(idsOf(await conversation(store, "c"))).toEqual(["1", "2", "4"]);
});

test("responses take no more than their bytes", async () => {
  const size = JSON.stringify({ response: response("a"), input: [] }).length;
  const store = storeOf({ count: 1000, bytes: 10 * size });
  for (let i = 0; i < 50; i++) await store.add(response(`r${i}`), []);
  await expect(store.get("r39")).rejects.toThrow("There is no response");
  expect((await store.get("r49")).id).toBe("r49");
  await store.add(response("large", null, "x".repeat(20 * size)), []);
  for (const id of ["large", "r49"]) await expect(store.get(id)).rejects.toThrow("There is no response");
  await store.add(response("after"), []);
  expect((await store.get("after")).id).toBe("after");
});

test("a conversation of which a part is gone is refused with the part's name", async () => {
  const store = storeOf({ count: 5, bytes: 1e9 });
  await store.add(response("a"), [item("1")]);
  await store.add(response("b", "a"), [item("2")]);
  await store.delete("a");
  await expect(conversation(store, "b")).rejects.toThrow('whose conversation includes "a"');
  await expect(store.delete("a")).rejects.toThrow("There is no response");
  expect(await itemOf(store, "1")).toBeUndefined();
  expect(await itemOf(store, "2")).toEqual(item("2"));
});

test("items are listed in pieces, in both orders", async () => {
  const store = storeOf({ count: 5, bytes: 1e9 });
  await store.add(response("a"), ["1", "2", "3"].map(item));
  expect(idsOf((await store.inputItems("a", {})).data)).toEqual(["3", "2", "1"]);
  const first = await store.inputItems("a", { order: "asc", limit: 2 });
  expect(first).toMatchObject({ object: "list", first_id: "1", last_id: "2", has_more: true });
  expect(await store.inputItems("a", { order: "asc", limit: 2, after: "2" })).toMatchObject({
    data: [item("3")],
    has_more: false,
  });
  await expect(store.inputItems("a", { after: "9" })).rejects.toThrow('after is "9"');
  await expect(store.inputItems("a", { limit: 0 })).rejects.toThrow("limit is 0");
  await expect(store.inputItems("b", {})).rejects.toThrow("There is no response");
});

test("responses take no more memory than their bytes, measured, whatever is in them", async () => {
  const limits = { count: 200, bytes: 16 * megabyte };
  const { value: store, bytes } = await measureRetainedMemory(
    async () => {
      const filled = storeOf(limits);
      for (let i = 0; i < 40; i++) {
        // A parsed empty object takes about twenty times the memory of its text.
        const parameters = { enum: Array.from({ length: 100_000 }, () => ({})) };
        const tools = [
          { type: "function", name: "f", parameters, strict: false, description: null } as const,
        ];
        await filled.add({ ...response(`r${i}`), tools }, [item(`i${i}`)]);
      }
      return filled;
    },
    limits.bytes + 2 * megabyte,
  );
  expect(bytes).toBeLessThan(limits.bytes + 2 * megabyte);
  expect((await store.get("r39")).tools).toHaveLength(1);
});
