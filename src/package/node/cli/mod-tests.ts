/** A file of `midtoken test`: mods, prompts, and what is asked of the answers. */

import { refuseUnknownKeys } from "../../../core/base/known-keys.ts";
import { isRecord } from "../../../core/base/record.ts";
import { show } from "../../../core/base/show.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { ChatMessage } from "../../api/chat-completion.ts";

export interface ModTests {
  /** A folder, from the file's own on; an address; or an id of the hub. `--model` counts before it. */
  readonly model?: string;
  /** Files of the mods, from the file's own folder on, in the order in which they are asked. */
  readonly mods: readonly string[];
  readonly cases: readonly ModTestCase[];
  /** For all cases that say nothing else. */
  readonly settings?: ModTestSettings;
}

export interface ModTestSettings {
  readonly system?: string;
  /** 128 unless given. */
  readonly maxTokens?: number;
  /** 0 unless given: the most likely token. */
  readonly temperature?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
}

export interface ModTestCase extends ModTestSettings {
  /** The prompt's beginning unless given. Each name once. */
  readonly name?: string;
  readonly prompt: string | readonly ChatMessage[];
  readonly expect?: ModExpectations;
}

/** Expectations, all of which must hold. */
export interface ModExpectations {
  readonly includes?: string | readonly string[];
  readonly excludes?: string | readonly string[];
  readonly matches?: RegExp;
  /** As OpenAI's API has it. */
  readonly finishReason?: "stop" | "length" | "tool_calls";
  /** How often the mods did something: a number, or a range. */
  readonly interventions?: number | { readonly min?: number; readonly max?: number };
  /** Throws, or rejects, where the answer is not as it should be. */
  readonly check?: (answer: ModTestAnswer) => void | Promise<void>;
}

export interface ModTestAnswer {
  readonly text: string;
  readonly finishReason: string;
  /** Actions of the mods by their kind, noop aside: `{ forceTokens: 2 }`. */
  readonly interventions: Readonly<Record<string, number>>;
  readonly records: readonly TraceRecord[];
}

const settingNames = [
  "system",
  "maxTokens",
  "temperature",
  "seed",
  "stop",
] as const satisfies readonly (keyof ModTestSettings)[];
const caseNames = [...settingNames, "name", "prompt", "expect"] as const;
const expectationNames = [
  "includes",
  "excludes",
  "matches",
  "finishReason",
  "interventions",
  "check",
] as const satisfies readonly (keyof ModExpectations)[];

/** @throws TypeError that names what is wrong with the file. */
export function readModTests(file: string, value: unknown): ModTests {
  const fail = (what: string): never => {
    throw new TypeError(`${file}: ${what}`);
  };
  if (!isRecord(value))
    return fail(`it exports ${show(value)} by default: write export default { mods, cases }.`);
  const known = (each: object, names: readonly string[], path: string) =>
    refuseUnknownKeys(each, names, path, (message) => new TypeError(`${file}: ${message}`));
  known(value, ["model", "mods", "cases", "settings"], "");
  const { mods, cases, model, settings = {} } = value;
  if (model !== undefined && typeof model !== "string") fail(`"model" is ${show(model)}: give a string.`);
  if (!Array.isArray(mods) || !mods.every((mod) => typeof mod === "string")) {
    fail(`"mods" is ${show(mods)}: give a list of files.`);
  }
  if (!Array.isArray(cases) || cases.length === 0)
    return fail(`"cases" is ${show(cases)}: give at least one.`);
  if (!isRecord(settings)) return fail(`"settings" is ${show(settings)}: give an object.`);
  known(settings, settingNames, "settings");
  const names = cases.map((each: unknown, place) => {
    const isCase = isRecord(each) && (typeof each.prompt === "string" || Array.isArray(each.prompt));
    if (isRecord(each)) known(each, caseNames, `cases[${place}]`);
    if (!isCase) return fail(`case ${place + 1} is ${show(each)}: give { prompt, expect }.`);
    checkExpectations(each.expect, `cases[${place}].expect`, { fail, known });
    return nameOf(each as unknown as ModTestCase, place);
  });
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) fail(`two cases are called "${twice}": give each a name of its own.`);
  return value as unknown as ModTests;
}

interface Checks {
  readonly fail: (what: string) => never;
  readonly known: (value: object, names: readonly string[], path: string) => void;
}

/** An expectation of the wrong type would hold for every answer. */
function checkExpectations(value: unknown, path: string, { fail, known }: Checks): void {
  if (value === undefined) return;
  const record = isRecord(value)
    ? value
    : fail(`${path} is ${show(value)}: give { ${expectationNames.join(", ")} }.`);
  known(record, expectationNames, path);
  const { includes = "", excludes = "", matches, finishReason, interventions, check } = record;
  const need = (isRight: boolean, name: string, advice: string) => {
    if (!isRight) fail(`${path}.${name} is ${show(record[name])}: ${advice}.`);
  };
  const areTexts = (given: unknown) => [given].flat().every((each) => typeof each === "string");
  need(areTexts(includes), "includes", "give a string or a list of strings");
  need(areTexts(excludes), "excludes", "give a string or a list of strings");
  need(
    matches === undefined || typeof matches === "string" || matches instanceof RegExp,
    "matches",
    "give a regular expression",
  );
  const reasons: readonly unknown[] = [undefined, "stop", "length", "tool_calls"];
  need(reasons.includes(finishReason), "finishReason", 'write "stop", "length" or "tool_calls"');
  need(check === undefined || typeof check === "function", "check", "give a function");
  const isRange = isRecord(interventions);
  if (isRange) known(interventions, ["min", "max"], `${path}.interventions`);
  const isCount = isRange || interventions === undefined || typeof interventions === "number";
  need(isCount, "interventions", "give a number or { min, max }");
}

export function nameOf({ name, prompt }: ModTestCase, place: number): string {
  if (name !== undefined) return name;
  if (typeof prompt !== "string") return `case ${place + 1}`;
  return prompt.length > 60 ? `${prompt.slice(0, 60)}…` : prompt;
}

/** The expectations that the answer does not meet, in words; empty if it meets all. */
export async function unmet(
  { includes = [], excludes = [], matches, finishReason, interventions, check }: ModExpectations,
  answer: ModTestAnswer,
): Promise<readonly string[]> {
  const words: string[] = [];
  const { text } = answer;
  for (const part of [includes].flat())
    if (!text.includes(part)) words.push(`it lacks ${JSON.stringify(part)}`);
  for (const part of [excludes].flat()) if (text.includes(part)) words.push(`it has ${JSON.stringify(part)}`);
  // A regular expression with "g" goes on where it stopped.
  if (matches && text.search(matches) < 0) words.push(`it does not match ${matches}`);
  if (finishReason !== undefined && answer.finishReason !== finishReason) {
    words.push(`it ended with ${answer.finishReason}, not ${finishReason}`);
  }
  words.push(...unmetCount(interventions, answer));
  try {
    await check?.(answer);
  } catch (error) {
    words.push(error instanceof Error ? error.message : String(error));
  }
  return words;
}

function unmetCount(wanted: ModExpectations["interventions"], answer: ModTestAnswer): string[] {
  if (wanted === undefined) return [];
  const { min = 0, max = Infinity } = typeof wanted === "number" ? { min: wanted, max: wanted } : wanted;
  const count = Object.values(answer.interventions).reduce((sum, each) => sum + each, 0);
  if (count >= min && count <= max) return [];
  const range = min === max ? `${min}` : max === Infinity ? `at least ${min}` : `${min} to ${max}`;
  return [`its mods acted ${count} times, not ${range}`];
}
