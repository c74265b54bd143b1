import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { mod } from "./mod.ts";
import { readModPayload, readStoredPayload, serializeMod } from "./serialize.ts";
import { sdkVersion } from "./version.ts";

const source = `import { mod } from "midtoken/mod";\nexport default mod({ added() {} }); // é\n`;

test("a payload has the source, its entry, the SDK's version and the source's hash", () => {
  const payload = serializeMod(source, { name: "my_mod-2", description: "Does nothing." });
  expect(payload).toEqual({
    name: "my_mod-2",
    description: "Does nothing.",
    language: "typescript",
    source,
    entry: "default",
    sdkVersion,
    hash: createHash("sha256").update(source).digest("hex"),
  });
  expect(readModPayload(JSON.parse(JSON.stringify(payload)))).toEqual(payload);
});

test("the version is the package's", () => {
  expect(JSON.parse(readFileSync("package.json", "utf8")).version).toBe(sdkVersion);
});

test.each(["", "-a", "_a", "A", "a b", "a/b", "ä", "a.b", "a\n", undefined, 4])(
  "the name %j is refused",
  (name) => {
    expect(() => serializeMod(source, { name: name as string })).toThrow("A mod cannot be called");
  },
);

test.each(["a", "0", "a-b_c9", "9-"])("the name %j is taken", (name) => {
  expect(serializeMod(source, { name, entry: "other" })).toMatchObject({
    name,
    entry: "other",
    description: "",
  });
});

test.each<[unknown, unknown, string]>([
  [mod({ added() {} }), { name: "a" }, "was given an object: give the source text of the mod's file"],
  [" ", { name: "a" }, "give the source text of the mod's file"],
  [source, undefined, "the options are undefined"],
  [source, { name: "a", description: 4 }, "The mod's description is 4"],
  [source, { name: "a", entry: 4 }, "The mod's entry is 4"],
])("what makes no payload %#", (given, options, sentence) => {
  expect(() => serializeMod(given as string, options as { name: string })).toThrow(sentence);
});

test.each<[string, object, string]>([
  ["another language", { language: "python" }, 'language is "python": only "typescript"'],
  ["another source", { source: `${source} ` }, "the source was changed in transit"],
  ["no hash", { hash: undefined }, "The payload's hash is undefined"],
  ["no source", { source: undefined }, "The mod's source is undefined"],
  ["no version", { sdkVersion: 1 }, "The mod's sdkVersion is 1"],
  ["an unknown field", { descripton: "a" }, 'descripton is not known. Did you mean "description"?'],
  ["a bad name", { name: "A" }, 'A mod cannot be called "A"'],
])("a payload with %s is refused", (_, change, sentence) => {
  expect(() => readModPayload({ ...serializeMod(source, { name: "a" }), ...change })).toThrow(sentence);
});

test("what is no payload is refused", () => {
  for (const read of [readModPayload, readStoredPayload])
    expect(() => read(null)).toThrow("The payload is null");
});
