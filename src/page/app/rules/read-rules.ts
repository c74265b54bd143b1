/** Reads the rules back from a mod that `rulesSource` wrote. */
import { asRecord } from "../store/persist.ts";
import {
  type Condition,
  conditionFields,
  conditionNames,
  type Effect,
  effectFields,
  effectNames,
  type FieldValue,
  type FieldValues,
  maxRules,
  type Rule,
  type RuleField,
  ruleProblems,
} from "./rule.ts";
import { rulesMark } from "./rules-mark.ts";
import { rulesBegin, rulesEnd, rulesSource } from "./rules-source.ts";

export type RulesSourceResult =
  /** The source is exactly what the rules stand for. */
  | { readonly type: "rules"; readonly rules: readonly Rule[] }
  /** The source was made with rules, and edited since. `rules`: those of its constant; null if they cannot be read. */
  | { readonly type: "edited"; readonly rules: readonly Rule[] | null }
  | { readonly type: "code" };

export function readRules(source: string): RulesSourceResult {
  if (!source.startsWith(rulesMark)) return { type: "code" };
  const rules = rulesOfConstant(source);
  if (rules === null) return { type: "edited", rules: null };
  return { type: rulesSource(rules) === source ? "rules" : "edited", rules };
}

/** The same mod without the mark: code that belongs to its author. */
export function removeRulesMark(source: string): string {
  return source.startsWith(rulesMark) ? source.slice(rulesMark.length).replace(/^\r?\n/, "") : source;
}

function rulesOfConstant(source: string): readonly Rule[] | null {
  const begin = source.indexOf(rulesBegin);
  const end = source.indexOf(rulesEnd, begin);
  if (begin < 0 || end < 0) return null;
  const lines = source.slice(begin + rulesBegin.length, end).split("\n");
  if (lines.length > maxRules) return null;
  const rules = lines.map(ruleOfLine);
  const sound = rules.filter((rule) => rule !== null);
  return sound.length === rules.length && ruleProblems(sound).length === 0 ? sound : null;
}

/** `  { when: { stop: true }, do: … },` as JSON: names get quotes, texts stay as they are. */
function ruleOfLine(line: string): Rule | null {
  const text = line.trim().replace(/,$/, "");
  const json = text.replaceAll(/"(?:[^"\\]|\\.)*"|([A-Za-z]+):/g, (whole, name: string | undefined) =>
    name === undefined ? whole : `"${name}":`,
  );
  try {
    const fields = asRecord(JSON.parse(json));
    const when = partOf(fields?.when, conditionNames, conditionFields);
    const effect = partOf(fields?.do, effectNames, effectFields);
    if (!when || !effect) return null;
    return { when: when.name, whenValues: when.values, do: effect.name, doValues: effect.values };
  } catch {
    return null;
  }
}

function partOf<Name extends Condition | Effect>(
  value: unknown,
  names: readonly Name[],
  fieldsOf: (name: Name) => readonly RuleField[],
): { readonly name: Name; readonly values: FieldValues } | null {
  const given = asRecord(value);
  const name = names.find((each) => given && Object.hasOwn(given, each));
  if (!given || name === undefined) return null;
  const values = fieldsOf(name).map((field) => [field.name, given[field.name] as FieldValue]);
  return { name, values: Object.fromEntries(values) };
}
