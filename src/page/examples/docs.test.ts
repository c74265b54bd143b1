/**
 * Every example of docs/mods.md is compiled and run, and gives the output that the page shows. The first line of a block says
 * how: `tokens=` for another limit, `instruct` for the instruct model (a `prompt` block before it is its prompt), `and` to run
 * it after the mod before it, `same` where the text is as without a mod. `text`, `console` and `json` (the tool calls) follow.
 * `docs.instruct.test.ts` runs the examples for the instruct model.
 */
import { describe, expect, test } from "vitest";
import { vectorExamples } from "../../core/vectors/library/index.ts";
import { activationExamples } from "./catalog/activations.ts";
import { examples as gallery } from "./index.ts";
import { guide, guideText, runGuideExample, usualPrompt } from "./testing/guide-examples.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";

describe("docs/mods.md", () => {
  test("has examples, each with its output", () => {
    expect(guide.examples.length).toBeGreaterThan(35);
    expect(guide.examples.filter(({ outputs }) => outputs.size === 0)).toEqual([]);
    const known = /^(?:tokens=\d+|instruct|and|same)$/;
    expect(guide.examples.flatMap(({ flags }) => flags).filter((flag) => !known.test(flag))).toEqual([]);
    const shown = guide.examples.reduce(
      (sum, { sources, outputs }) => sum + sources.length + outputs.size,
      0,
    );
    const others = guideText.match(/^```(?:prompt|text plain)$/gm)?.length ?? 0;
    expect(guideText.match(/^```\w[^\n]*$/gm)).toHaveLength(shown + others);
  });

  test("leads to sections that are there", () => {
    const anchors = [...guideText.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^a-z0-9 ]/g, "")
        .replaceAll(" ", "-"),
    );
    const links = [...guideText.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor = ""]) => anchor);
    expect(links.length).toBeGreaterThan(10);
    expect(anchors).toEqual(expect.arrayContaining(links));
  });

  test("has the figures of the library's cheerful vector, and the gallery's mods inside the pass", () => {
    const chapter = guideText.slice(
      guideText.indexOf("## Inside the pass"),
      guideText.indexOf("## Where to step in"),
    );
    const { effect } = vectorExamples.find(({ vector }) => vector.text.startsWith("cheerful:")) ?? {};
    const row = (first: string, cells: readonly number[] = []) => `| ${[first, ...cells].join(" | ")} |`;
    expect(chapter).toContain(
      row(
        "scale",
        effect?.scales.map(({ scale }) => scale),
      ),
    );
    expect(chapter).toContain(
      row(
        "cheerful words, %",
        effect?.scales.map(({ value }) => value),
      ),
    );
    const names = [...chapter.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
    expect(names).toEqual(activationExamples.map(({ name }) => name));
  });

  test("names fourteen places, each with a mod of the gallery", () => {
    const table = guideText.slice(
      guideText.indexOf("## Where to step in"),
      guideText.indexOf("## Strategies"),
    );
    const names = [...table.matchAll(/^\| [^|]+ \| `([^`]+)` \|$/gm)].map(([, name = ""]) => name);
    expect(new Set(names).size).toBe(14);
    expect(gallery.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });
});

describeOnBundledModel((model) => {
  test("without a mod", async () => {
    const messages = [{ role: "user", content: usualPrompt }] as const;
    const { finished } = await model().run({ messages, maxTokens: 24 });
    expect(finished.text).toBe(guide.plain);
  });

  test.each(guide.examples.filter(({ flags }) => !flags.includes("instruct")))("$title", (example) =>
    runGuideExample(model(), example),
  );
});
