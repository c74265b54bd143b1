/** The store of responses stays within its bounds. The least recently used conversation goes first. */
import { expect, test } from "vitest";
import { megabyte, retainedMemory } from "../../../core/base/testing/retained-memory.ts";
import { finished, scriptedStart, text } from "../testing/scripted-start.ts";
import { ResponseStore } from "./response-store.ts";
import type { ModelResponse, ResponseItem } from "./response-types.ts";
import { createResponses } from "./responses.ts";

const { responses } = { responses: createResponses(scriptedStart([[text("Hi"), finished()]]).start, 1) };
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
const idsOf = (items: readonly ResponseItem[]) => items.map(({ id }) => id);

test("the oldest is dropped beyond the count; a conversation that goes on stays whole", () => {
  const store = new ResponseStore({ count: 3, bytes: 1e9 });
  store.add(response("a"), [item("1")]);
  store.add(response("b", "a"), [item("2")]);
  store.add(response("x"), [item("3")]);
  expect(idsOf(store.conversation("b"))).toEqual(["1", "2"]);
  store.add(response("c", "b"), [item("4")]);
  expect(() => store.get("x")).toThrow('There is no response "x"');
  expect(idsOf(store.conversation("c"))).toEqual(["1", "2", "4"]);
});

test("responses take no more than their bytes", () => {
  const size = 2 * JSON.stringify(response("a")).length;
  const store = new ResponseStore({ count: 1000, bytes: 10 * size });
  for (let i = 0; i < 50; i++) store.add(response(`r${i}`), []);
  expect(() => store.get("r39")).toThrow("There is no response");
  expect(store.get("r49").id).toBe("r49");
  store.add(response("large", null, "x".repeat(20 * size)), []);
  for (const id of ["large", "r49"]) expect(() => store.get(id)).toThrow("There is no response");
  store.add(response("after"), []);
  expect(store.get("after").id).toBe("after");
});

test("a conversation of which a part is gone is refused with the part's name", () => {
  const store = new ResponseStore({ count: 5, bytes: 1e9 });
  store.add(response("a"), [item("1")]);
  store.add(response("b", "a"), [item("2")]);
  store.delete("a");
  expect(() => store.conversation("b")).toThrow('whose conversation has "a"');
  expect(() => store.delete("a")).toThrow("There is no response");
  expect(store.item("1")).toBeUndefined();
  expect(store.item("2")).toEqual(item("2"));
});

test("items are listed in pieces, in both orders", () => {
  const store = new ResponseStore({ count: 5, bytes: 1e9 });
  store.add(response("a"), ["1", "2", "3"].map(item));
  expect(idsOf(store.inputItems("a", {}).data)).toEqual(["3", "2", "1"]);
  const first = store.inputItems("a", { order: "asc", limit: 2 });
  expect(first).toMatchObject({ object: "list", first_id: "1", last_id: "2", has_more: true });
  expect(store.inputItems("a", { order: "asc", limit: 2, after: "2" })).toMatchObject({
    data: [item("3")],
    has_more: false,
  });
  expect(() => store.inputItems("a", { after: "9" })).toThrow('after is "9"');
  expect(() => store.inputItems("a", { limit: 0 })).toThrow("limit is 0");
  expect(() => store.inputItems("b", {})).toThrow("There is no response");
});

test("responses take no more memory than their bytes, measured, whatever is in them", async () => {
  const limits = { count: 200, bytes: 16 * megabyte };
  const { value: store, bytes } = await retainedMemory(
    () => {
      const filled = new ResponseStore(limits);
      for (let i = 0; i < 40; i++) {
        // Parsed, an empty object takes some twenty times the memory of its text.
        const parameters = { enum: Array.from({ length: 100_000 }, () => ({})) };
        const tools = [
          { type: "function", name: "f", parameters, strict: false, description: null } as const,
        ];
        filled.add({ ...response(`r${i}`), tools }, [item(`i${i}`)]);
      }
      return filled;
    },
    limits.bytes + 2 * megabyte,
  );
  expect(bytes).toBeLessThan(limits.bytes + 2 * megabyte);
  expect(store.get("r39").tools).toHaveLength(1);
});
