/** The rules while somebody writes them: each with an id, so that its fields stay its own when rules move. */
import type { UserMod } from "../store/mods-store.ts";
import { readRules } from "./read-rules.ts";
import {
  type Condition,
  conditionFields,
  type Effect,
  effectFields,
  type FieldValue,
  type FieldValues,
  initialFieldValues,
  type Rule,
  type RuleField,
} from "./rule.ts";

export interface RuleWithId {
  readonly id: number;
  readonly rule: Rule;
}

let nextId = 1;

export function addRuleIds(rules: readonly Rule[]): readonly RuleWithId[] {
  return rules.map((rule) => ({ id: nextId++, rule }));
}

/** The rules of a mod; null if the mod is not made of rules alone. */
export function rulesOfMod(mod: Pick<UserMod, "source"> | undefined): readonly Rule[] | null {
  const read = mod && readRules(mod.source);
  return read?.type === "rules" ? read.rules : null;
}

/** Changes the condition. A typed value stays if the new condition has a field of the same type. */
export function withCondition(rule: Rule, when: Condition): Rule {
  const fields = conditionFields(when);
  return { ...rule, when, whenValues: carried(conditionFields(rule.when), rule.whenValues, fields) };
}

export function withEffect(rule: Rule, effect: Effect): Rule {
  const fields = effectFields(effect);
  return { ...rule, do: effect, doValues: carried(effectFields(rule.do), rule.doValues, fields) };
}

function carried(
  before: readonly RuleField[],
  values: FieldValues,
  after: readonly RuleField[],
): FieldValues {
  const taken = after.flatMap(({ name, type }, index) => {
    const same = before[index];
    const value = same?.type === type ? values[same.name] : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...initialFieldValues(after), ...Object.fromEntries(taken) };
}

/** The text that a field shows for a value. */
export function formatFieldValue({ type }: RuleField, value: FieldValue | undefined): string {
  if (typeof value === "object") return value.join("\n");
  if (typeof value !== "number") return value ?? "";
  if (Number.isNaN(value)) return "";
  return type === "probability" ? String(Math.round(value * 10_000) / 100) : String(value);
}

/** The value of a typed text; NaN if the text is no number. */
export function parseFieldValue({ type }: RuleField, text: string): FieldValue {
  if (type === "text") return text;
  if (type === "words") return text.split("\n").flatMap((line) => line.trim() || []);
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return type === "probability" ? Math.round(number * 100) / 10_000 : number;
}

/** Rules to begin with. All of them work on the story model, beside the mods of a first visit. */
export const starterRules: readonly { readonly label: string; readonly rule: Rule }[] = [
  {
    label: "Replace a phrase",
    rule: { when: "always", whenValues: {}, do: "replace", doValues: { replace: "big", with: "tiny" } },
  },
  {
    label: "Ban words",
    rule: { when: "always", whenValues: {}, do: "ban", doValues: { ban: ["Lily", "ball"] } },
  },
  {
    label: "Add a sentence",
    rule: {
      when: "atSentenceEnd",
      whenValues: { atSentenceEnd: 1 },
      do: "insert",
      doValues: { insert: "A dragon watched from the hill." },
    },
  },
  {
    label: "Ask a hidden question",
    rule: {
      when: "afterTokens",
      whenValues: { afterTokens: 20 },
      do: "ask",
      doValues: { ask: "The story is about a", answers: ["girl", "boy", "dog"] },
    },
  },
];
