/** The examples of docs/mods.md, and how one is run; `docs.test.ts` says how the first line of a block describes its example. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { inProcessMod } from "./in-process-mod.ts";
import type { RealTestModel, TestRunOutcome } from "./test-model.ts";

export const guideText = readFileSync("docs/mods.md", "utf8");

interface Example {
  readonly title: string;
  readonly flags: readonly string[];
  /** More than one where mods run together. */
  readonly sources: readonly string[];
  readonly prompt: string;
  readonly outputs: ReadonlyMap<string, string>;
}

export const usualPrompt = "Once upon a time";
export const guide = readExamples();

function readExamples(): { readonly examples: readonly Example[]; readonly plain: string } {
  const examples: (Example & { readonly outputs: Map<string, string> })[] = [];
  let prompt = usualPrompt;
  let plain = "";
  let waiting: readonly string[] = [];
  const blocks = [...guideText.matchAll(/```(\w+)([^\n]*)\n([\s\S]*?)\n```/g)];
  for (const [index, [, language = "", line = "", text = ""]] of blocks.entries()) {
    const flags = line.trim().split(/\s+/).filter(Boolean);
    if (language === "prompt") prompt = text;
    else if (language === "text" && flags[0] === "plain") plain = text;
    else if (language === "ts") {
      const isAlone = !/^```(?:text|json|console)/.test(blocks[index + 1]?.[0] ?? "");
      const sources = [...waiting, text];
      waiting = isAlone ? sources : [];
      const before =
        guideText
          .slice(0, guideText.indexOf(text))
          .match(/^#+ (.*)$/gm)
          ?.at(-1) ?? "";
      const title = `${before.replace(/^#+ /, "")} (${examples.length + 1})`;
      if (!isAlone) examples.push({ title, flags, sources, prompt, outputs: new Map() });
      if (!isAlone) prompt = usualPrompt;
    } else examples.at(-1)?.outputs.set(language, text);
  }
  return { examples, plain };
}

/** Runs the mods of an example and checks that the output equals the text that the guide shows. */
export async function runGuideExample(
  model: RealTestModel,
  { flags, sources, prompt, outputs }: Example,
): Promise<void> {
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
