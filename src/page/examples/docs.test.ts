/**
 * Every example of docs/mods.md is compiled and run, and gives the output that the page shows. The first line of a block says
 * how: `tokens=` for another limit, `instruct` for the instruct model (a `prompt` block before it is its prompt), `and` to run
 * it after the mod before it, `same` where the text is as without a mod. `text`, `console` and `json` (the tool calls) follow.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { vectorExamples } from "../../core/vectors/library/index.ts";
import { activationExamples } from "./catalog/activations.ts";
import { examples as gallery } from "./index.ts";
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { inProcessMod } from "./testing/in-process-mod.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";
import type { RealTestModel, TestRunOutcome } from "./testing/test-model.ts";

const page = readFileSync("docs/mods.md", "utf8");

interface Example {
  readonly title: string;
  readonly flags: readonly string[];
  /** More than one where mods run together. */
  readonly sources: readonly string[];
  readonly prompt: string;
  readonly outputs: ReadonlyMap<string, string>;
}

const usualPrompt = "Once upon a time";
const found = readExamples();

function readExamples(): { readonly examples: readonly Example[]; readonly plain: string } {
  const examples: (Example & { readonly outputs: Map<string, string> })[] = [];
  let prompt = usualPrompt;
  let plain = "";
  let waiting: readonly string[] = [];
  const blocks = [...page.matchAll(/```(\w+)([^\n]*)\n([\s\S]*?)\n```/g)];
  for (const [index, [, language = "", line = "", text = ""]] of blocks.entries()) {
    const flags = line.trim().split(/\s+/).filter(Boolean);
    if (language === "prompt") prompt = text;
    else if (language === "text" && flags[0] === "plain") plain = text;
    else if (language === "ts") {
      const isAlone = !/^```(?:text|json|console)/.test(blocks[index + 1]?.[0] ?? "");
      const sources = [...waiting, text];
      waiting = isAlone ? sources : [];
      const before =
        page
          .slice(0, page.indexOf(text))
          .match(/^#+ (.*)$/gm)
          ?.at(-1) ?? "";
      const title = `${before.replace(/^#+ /, "")} (${examples.length + 1})`;
      if (!isAlone) examples.push({ title, flags, sources, prompt, outputs: new Map() });
      if (!isAlone) prompt = usualPrompt;
    } else examples.at(-1)?.outputs.set(language, text);
  }
  return { examples, plain };
}

async function runExample(model: RealTestModel, { flags, sources, prompt, outputs }: Example): Promise<void> {
  const settings = {
    messages: [{ role: "user", content: prompt }],
    maxTokens: Number(flags.find((flag) => flag.startsWith("tokens="))?.slice("tokens=".length) ?? 24),
  } as const;
  const lines: string[] = [];
  const mods = sources.map((source) => inProcessMod(source, model.tokenizer, (line) => lines.push(line)));
  const outcome = await model.run(settings, mods);
  const { finished } = outcome;
  expect(finished.error).toBeNull();
  const given: Record<string, string> = {
    text: finished.text,
    console: lines.join("\n"),
    json: callsOf(outcome),
  };
  for (const [language, shown] of outputs) expect(given[language]).toBe(shown);
  const plain = await model.run(settings);
  if (flags.includes("same")) expect(finished.text).toBe(plain.finished.text);
  else expect(finished.text).not.toBe(plain.finished.text);
}

function callsOf({ finished }: TestRunOutcome): string {
  const calls = finished.toolCalls.map((call) => ({
    name: call.function.name,
    arguments: JSON.parse(call.function.arguments),
  }));
  return JSON.stringify(calls);
}

describe("docs/mods.md", () => {
  test("has examples, each with its output", () => {
    expect(found.examples.length).toBeGreaterThan(35);
    expect(found.examples.filter(({ outputs }) => outputs.size === 0)).toEqual([]);
    const known = /^(?:tokens=\d+|instruct|and|same)$/;
    expect(found.examples.flatMap(({ flags }) => flags).filter((flag) => !known.test(flag))).toEqual([]);
    const shown = found.examples.reduce(
      (sum, { sources, outputs }) => sum + sources.length + outputs.size,
      0,
    );
    const others = page.match(/^```(?:prompt|text plain)$/gm)?.length ?? 0;
    expect(page.match(/^```\w[^\n]*$/gm)).toHaveLength(shown + others);
  });

  test("leads to sections that are there", () => {
    const anchors = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^a-z0-9 ]/g, "")
        .replaceAll(" ", "-"),
    );
    const links = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor = ""]) => anchor);
    expect(links.length).toBeGreaterThan(10);
    expect(anchors).toEqual(expect.arrayContaining(links));
  });

  test("has the figures of the library's cheerful vector, and the gallery's mods inside the pass", () => {
    const chapter = page.slice(page.indexOf("## Inside the pass"), page.indexOf("## Where to step in"));
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
    const table = page.slice(page.indexOf("## Where to step in"), page.indexOf("## Strategies"));
    const names = [...table.matchAll(/^\| [^|]+ \| `([^`]+)` \|$/gm)].map(([, name = ""]) => name);
    expect(new Set(names).size).toBe(14);
    expect(gallery.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });
});

describeOnBundledModel((model) => {
  test("without a mod", async () => {
    const messages = [{ role: "user", content: usualPrompt }] as const;
    const { finished } = await model().run({ messages, maxTokens: 24 });
    expect(finished.text).toBe(found.plain);
  });

  test.each(found.examples.filter(({ flags }) => !flags.includes("instruct")))("$title", (example) =>
    runExample(model(), example),
  );
});

describeOnInstructModel((model) => {
  test.each(found.examples.filter(({ flags }) => flags.includes("instruct")))("$title", (example) =>
    runExample(model(), example),
  );
});
