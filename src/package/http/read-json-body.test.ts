/** Measures the memory of a parsed body: a text of three characters may become an object of sixty bytes. */
import { expect, test } from "vitest";
import { measureRetainedMemory, megabyte } from "../../core/base/testing/retained-memory.ts";
import { bodyLimit, readJsonBody } from "./read-json-body.ts";

const most = 8 * megabyte;
const post = (body: string) =>
  new Request("http://midtoken.test/", {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
/** The largest body that is read, including brackets and commas. */
const many = (entry: string, count: number) => `[${`${entry},`.repeat(count)}0]`;

test.each([
  ["empty objects", many("{}", 249_000)],
  ["empty lists", many("[]", 249_000)],
  ["numbers", many("1.5", 498_000)],
  ["objects of one field", many('{"a":1}', 249_000)],
  ["names of fields", `{${Array.from({ length: 498_000 }, (_, i) => `"name${i}":1`).join(",")}}`],
  ["one text", JSON.stringify("€".repeat(most / 3 - 10))],
])("a body takes at most eight times the memory of the most bytes: %s", async (_, text) => {
  const { bytes } = await measureRetainedMemory(() => readJsonBody(post(text), bodyLimit(most)), 8 * most);
  expect(bytes).toBeLessThan(8 * most);
});

test("more entries are refused with both numbers before they are parsed", async () => {
  const read = readJsonBody(post(many("{}", 1_000_000)), bodyLimit(most));
  await expect(read).rejects.toThrow(
    "The body has 2000002 entries in objects and arrays; the limit is 500000",
  );
});
