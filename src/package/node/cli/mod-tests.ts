/** The contents of a test file of `midtoken test`: mods, prompts, and expectations about the outputs. */

import { refuseUnknownKeys } from "../../../core/base/known-keys.ts";
import { isRecord } from "../../../core/base/record.ts";
import { describeValue } from "../../../core/base/show.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { ChatMessage } from "../../api/chat-completion.ts";

export interface ModTests {
  /** A folder (relative to the test file's folder), an address, or an id of the hub. `--model` takes precedence. */
  readonly model?: string;
  /** Files of the mods, relative to the test file's folder, in the order in which the mods are asked. */
  readonly mods: readonly string[];
  readonly cases: readonly ModTestCase[];
  /** Settings of all cases without their own. */
  readonly settings?: ModTestSettings;
}

export interface ModTestSettings {
  readonly system?: string;
  /** By default 128. */
  readonly maxTokens?: number;
  /** By default 0, so the most likely token is chosen. */
  readonly temperature?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
}

export interface ModTestCase extends ModTestSettings {
  /** By default the beginning of the prompt. Names must be unique. */
  readonly name?: string;
  readonly prompt: string | readonly ChatMessage[];
  readonly expect?: ModExpectations;
}

/** Expectations; all of them must be met. */
export interface ModExpectations {
  readonly includes?: string | readonly string[];
  readonly excludes?: string | readonly string[];
  readonly matches?: RegExp;
  /** As in OpenAI's API. */
  readonly finishReason?: "stop" | "length" | "tool_calls";
  /** How many actions the mods took: a number or a range. */
  readonly interventions?: number | { readonly min?: number; readonly max?: number };
  /** Throws, or rejects, if the output is wrong. */
  readonly check?: (answer: ModTestAnswer) => void | Promise<void>;
}

export interface ModTestAnswer {
  readonly text: string;
  readonly finishReason: string;
  /** Number of the mods' actions by kind, without noop: `{ forceTokens: 2 }`. */
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

/** @throws TypeError that says what is wrong with the file. */
export function readModTests(file: string, value: unknown): ModTests {
  const fail = (what: string): never => {
    throw new TypeError(`${file}: ${what}`);
  };
  if (!isRecord(value))
    return fail(`it exports ${describeValue(value)} by default: write export default { mods, cases }.`);
  const known = (each: object, names: readonly string[], path: string) =>
    refuseUnknownKeys(each, names, path, (message) => new TypeError(`${file}: ${message}`));
  known(value, ["model", "mods", "cases", "settings"], "");
  const { mods, cases, model, settings = {} } = value;
  if (model !== undefined && typeof model !== "string")
    fail(`"model" is ${describeValue(model)}: give a string.`);
  if (!Array.isArray(mods) || !mods.every((mod) => typeof mod === "string")) {
    fail(`"mods" is ${describeValue(mods)}: give a list of files.`);
  }
  if (!Array.isArray(cases) || cases.length === 0)
    return fail(`"cases" is ${describeValue(cases)}: give a list of at least one case.`);
  if (!isRecord(settings)) return fail(`"settings" is ${describeValue(settings)}: give an object.`);
  known(settings, settingNames, "settings");
  const names = cases.map((each: unknown, place) => {
    const isCase = isRecord(each) && (typeof each.prompt === "string" || Array.isArray(each.prompt));
    if (isRecord(each)) known(each, caseNames, `cases[${place}]`);
    if (!isCase) return fail(`case ${place + 1} is ${describeValue(each)}: give { prompt, expect }.`);
    checkExpectations(each.expect, `cases[${place}].expect`, { fail, known });
    return testCaseNameOf(each as unknown as ModTestCase, place);
  });
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) fail(`two cases are called "${twice}": give each case a different name.`);
  return value as unknown as ModTests;
}

interface Checks {
  readonly fail: (what: string) => never;
  readonly known: (value: object, names: readonly string[], path: string) => void;
}

/** Checks the types, because an expectation of a wrong type would be met by every output. */
function checkExpectations(value: unknown, path: string, { fail, known }: Checks): void {
  if (value === undefined) return;
  const record = isRecord(value)
    ? value
    : fail(`${path} is ${describeValue(value)}: give { ${expectationNames.join(", ")} }.`);
  known(record, expectationNames, path);
  const { includes = "", excludes = "", matches, finishReason, interventions, check } = record;
  const need = (isRight: boolean, name: string, advice: string) => {
    if (!isRight) fail(`${path}.${name} is ${describeValue(record[name])}: ${advice}.`);
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

export function testCaseNameOf({ name, prompt }: ModTestCase, place: number): string {
  if (name !== undefined) return name;
  if (typeof prompt !== "string") return `case ${place + 1}`;
  return prompt.length > 60 ? `${prompt.slice(0, 60)}…` : prompt;
}

/** The expectations that the output does not meet, in words; empty if it meets all. */
export async function unmetExpectations(
  { includes = [], excludes = [], matches, finishReason, interventions, check }: ModExpectations,
  answer: ModTestAnswer,
): Promise<readonly string[]> {
  const words: string[] = [];
  const { text } = answer;
  for (const part of [includes].flat())
    if (!text.includes(part)) words.push(`it does not contain ${JSON.stringify(part)}`);
  for (const part of [excludes].flat())
    if (text.includes(part)) words.push(`it contains ${JSON.stringify(part)}`);
  // `search` instead of `test`, because a regular expression with the flag "g" would continue where it stopped.
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
  return [`mods acted ${count} times, expected ${describeRange(min, max)}`];
}

function describeRange(min: number, max: number): string {
  if (min === max) return `${min}`;
  return max === Infinity ? `at least ${min}` : `${min} to ${max}`;
}
