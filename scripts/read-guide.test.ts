import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { searchGuide } from "../src/page/app/guide/search-guide.ts";
import { readGuide } from "./read-guide.ts";

const guide = readGuide(readFileSync("docs/mods.md", "utf8"));

describe("docs/mods.md", () => {
  const blocks = guide.flatMap((section) => section.blocks);
  const examples = blocks.flatMap((block) => (block.type === "example" ? [block.example] : []));

  test("each of its mods is in one example, which has an output", () => {
    const mods = readFileSync("docs/mods.md", "utf8").match(/^```ts.*$/gm)?.length;
    expect(examples.flatMap(({ sources }) => sources)).toHaveLength(mods ?? 0);
    expect(examples.filter(({ outputs }) => outputs.length === 0)).toEqual([]);
    expect(examples.filter(({ sources }) => sources.length > 1)).toHaveLength(1);
  });

  test("examples keep their prompt and their number of tokens", () => {
    const instruct = examples.filter(({ needsInstruct }) => needsInstruct);
    expect(instruct).toMatchObject([{ prompt: "The train was two hours late again.", maxTokens: 80 }]);
    expect(examples[0]).toMatchObject({ prompt: "Once upon a time", maxTokens: 24 });
    expect(new Set(examples.map(({ maxTokens }) => maxTokens))).toEqual(new Set([24, 32, 40, 48, 80]));
  });

  test("sections have addresses of their own, and its links lead to them", () => {
    const ids = guide.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = JSON.stringify(blocks).match(/(?<="address":"#)[^"]+/g) ?? [];
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !ids.includes(link))).toEqual([]);
  });

  test.each([
    ["backtrack", "actions"],
    ["hidden tokens", "hidden-tokens"],
    ["GBNF", "strategies"],
    ["TOOLCALLPAIRS", "tools-and-json"],
  ])("%j finds %j", (text, id) => {
    expect(searchGuide(guide, text).map(({ section }) => section.id)).toContain(id);
  });
});

test("a word in the title comes first, a word in the text with its line", () => {
  const found = searchGuide(guide, "flows");
  expect(found[0]).toMatchObject({ section: { id: "flows" }, line: null });
  expect(searchGuide(guide, "ggml-org")).toEqual([]);
  expect(searchGuide(guide, "look-ahead")[0]?.line).toMatch(/look-ahead and back-references throw/);
  expect(searchGuide(guide, "  ")).toEqual([]);
  expect(searchGuide(guide, "flows nowhere-to-be-found")).toEqual([]);
});

test.each([
  ["text before a heading", "Hello", /begin with a heading/],
  ["HTML in a line", "# A\n\nHello <b>you</b>", /"html" in a line/],
  ["HTML", "# A\n\n<div>x</div>\n", /"html", which the page does not draw/],
  ["an image", "# A\n\n![x](https://x.org/x.png)", /"image" in a line/],
  [
    "a link that is neither section nor page",
    "# A\n\n[x](javascript:alert(1))",
    /links to "javascript:alert/,
  ],
  ["a file beside it", "# A\n\n[x](./other.md)", /links to ".\/other.md"/],
  ["an output without an example", "# A\n\n```json\n[]\n```\n", /block of "json"/],
])("%s ends the build", (_what, markdown, message) => {
  expect(() => readGuide(markdown)).toThrow(message);
});
