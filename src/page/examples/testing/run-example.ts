/** One gallery entry as the page runs it, and the same request without its mod. */
import { expect } from "vitest";
import { ReasoningStream } from "../../../core/trace/text/reasoning-stream.ts";
import { type Example, examples } from "../index.ts";
import { inProcessMod } from "./in-process-mod.ts";
import type { RealTestModel, TestRunOutcome, TestRunSettings } from "./test-model.ts";

export interface PlainAndModded {
  readonly plain: TestRunOutcome;
  readonly modded: TestRunOutcome;
  /** The lines that the mod wrote with `console`. */
  readonly console: readonly string[];
}

export function exampleNamed(name: string): Example {
  const example = examples.find((entry) => entry.name === name);
  if (!example) throw new Error(`No example is named ${name}.`);
  return example;
}

/** Runs without a mod, kept: many entries share a prompt. */
const plainRuns = new WeakMap<RealTestModel, Map<string, Promise<TestRunOutcome>>>();

/**
 * The suggested prompt and settings, unless `changes` says otherwise. Fails where the mod throws. `plainTokens`: how far the run
 * without the mod goes, where its beginning is enough.
 */
export async function runPlainAndModded(
  model: RealTestModel,
  name: string,
  changes: Partial<TestRunSettings> = {},
  plainTokens?: number,
): Promise<PlainAndModded> {
  const settings = { ...settingsOf(exampleNamed(name)), ...changes };
  const plain = await plainRun(model, { ...settings, ...(plainTokens && { maxTokens: plainTokens }) });
  return { plain, ...(await runModded(model, name, changes)) };
}

/** With the mod alone. */
export async function runModded(
  model: RealTestModel,
  name: string,
  changes: Partial<TestRunSettings> = {},
): Promise<Pick<PlainAndModded, "modded" | "console">> {
  const example = exampleNamed(name);
  const lines: string[] = [];
  const mod = inProcessMod(example.source, model.tokenizer, (line) => lines.push(line));
  const modded = await model.run({ ...settingsOf(example), ...changes }, [mod]);
  const faults = modded.recordsOf("modCall").flatMap(({ fault }) => fault?.message ?? []);
  expect(faults).toEqual([]);
  if (/\bbacktrack\(/.test(example.source)) expectToStream(modded);
  return { modded, console: lines };
}

/** A stream of the API begins before the 20th token, although the mod takes text back, and ends with the text of the trace. */
function expectToStream({ records, finished }: TestRunOutcome): void {
  const stream = new ReasoningStream({ holdback: "auto", mayTakeBack: [true] });
  let text = "";
  let emitted = 0;
  let firstAfter = 0;
  for (const record of records) {
    if (record.type === "added") emitted += record.tokens.length;
    for (const event of stream.push(record)) {
      if (event.type === "text") text += event.text;
      if (event.type === "text" || event.type === "reasoning") firstAfter ||= emitted;
    }
  }
  expect(text).toBe(finished.text);
  expect(firstAfter).toBeLessThan(20);
}

function settingsOf({
  suggestedPrompt,
  maxTokens,
  temperature,
  seed,
  tools,
  schema,
}: Example): TestRunSettings {
  return { messages: suggestedPrompt, maxTokens, temperature, seed, tools, schema };
}

function plainRun(model: RealTestModel, settings: TestRunSettings): Promise<TestRunOutcome> {
  const runs = plainRuns.get(model) ?? new Map<string, Promise<TestRunOutcome>>();
  plainRuns.set(model, runs);
  const key = JSON.stringify(settings);
  const run = runs.get(key) ?? model.run(settings);
  runs.set(key, run);
  return run;
}
