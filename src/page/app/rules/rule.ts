/**
 * Rules without code: when something is true of a run, do something. The two tables list every condition and every effect
 * with its fields; the panel, the generated mod and the reader of a mod follow them.
 */

export type FieldValue = string | number | readonly string[];

/** One field of a condition or an effect. Its name is also the property in the generated mod. */
export interface RuleField {
  readonly name: string;
  readonly type: "text" | "words" | "count" | "probability";
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  /** The value of a new rule. */
  readonly initial: FieldValue;
  /** A text that may be empty. */
  readonly mayBeEmpty?: true;
  /** The fewest entries of a list. Default: 1. */
  readonly least?: number;
}

interface RulePart {
  readonly label: string;
  /** The first field has the name of its condition or effect, so that the names of the fields tell which one it is. */
  readonly fields: readonly RuleField[];
}

export const ruleConditions = {
  always: { label: "Always", fields: [] },
  promptContains: {
    label: "The prompt contains",
    fields: [
      {
        name: "promptContains",
        type: "text",
        label: "Text in the prompt",
        hint: "Upper and lower case must match.",
        placeholder: "dragon",
        initial: "",
      },
    ],
  },
  textContains: {
    label: "The model has written",
    fields: [
      {
        name: "textContains",
        type: "text",
        label: "Text that the model has written",
        hint: "Upper and lower case must match.",
        placeholder: "Lily",
        initial: "",
      },
    ],
  },
  afterTokens: {
    label: "After a number of tokens",
    fields: [{ name: "afterTokens", type: "count", label: "Tokens", initial: 20 }],
  },
  atSentenceEnd: {
    label: "At the end of a sentence",
    fields: [
      {
        name: "atSentenceEnd",
        type: "count",
        label: "Sentence number",
        hint: "A sentence ends with . ! or ?",
        initial: 1,
      },
    ],
  },
  probabilityBelow: {
    label: "The model is unsure",
    fields: [
      {
        name: "probabilityBelow",
        type: "probability",
        label: "Probability of the most likely token is below",
        initial: 0.3,
      },
    ],
  },
} as const satisfies Readonly<Record<string, RulePart>>;

export const ruleEffects = {
  replace: {
    label: "Replace a phrase",
    fields: [
      { name: "replace", type: "text", label: "Replace", placeholder: "Lily", initial: "" },
      { name: "with", type: "text", label: "With", placeholder: "Max", initial: "", mayBeEmpty: true },
    ],
  },
  insert: {
    label: "Insert text",
    fields: [
      {
        name: "insert",
        type: "text",
        label: "Text to insert",
        placeholder: "Suddenly, it began to rain.",
        initial: "",
      },
    ],
  },
  ban: {
    label: "Ban words",
    fields: [
      {
        name: "ban",
        type: "words",
        label: "Words, one per line",
        placeholder: "Lily\nball",
        initial: [],
      },
    ],
  },
  startWith: {
    label: "Start the answer with",
    fields: [
      {
        name: "startWith",
        type: "text",
        label: "First words",
        hint: "The story model continues your prompt, so begin with a space or a comma.",
        placeholder: "Sure!",
        initial: "",
      },
    ],
  },
  stop: { label: "Stop", fields: [] },
  ask: {
    label: "Ask a hidden question",
    fields: [
      {
        name: "ask",
        type: "text",
        label: "Question",
        hint: "The model reads the question and answers it. Then the question and the answer are removed from the text.",
        placeholder: "The story is about a",
        initial: "",
      },
      {
        name: "answers",
        type: "words",
        label: "Possible answers, one per line",
        placeholder: "girl\nboy\ndog",
        initial: [],
        least: 2,
      },
    ],
  },
} as const satisfies Readonly<Record<string, RulePart>>;

export type Condition = keyof typeof ruleConditions;
export type Effect = keyof typeof ruleEffects;

export const conditionNames = Object.keys(ruleConditions) as readonly Condition[];
export const effectNames = Object.keys(ruleEffects) as readonly Effect[];

export type FieldValues = Readonly<Record<string, FieldValue>>;

export interface Rule {
  readonly when: Condition;
  readonly whenValues: FieldValues;
  readonly do: Effect;
  readonly doValues: FieldValues;
}

export const maxRules = 20;
const longestText = 4_000;
const mostWords = 64;
const largestCount = 100_000;

export function conditionFields(condition: Condition): readonly RuleField[] {
  return ruleConditions[condition].fields;
}

export function effectFields(effect: Effect): readonly RuleField[] {
  return ruleEffects[effect].fields;
}

/** The first values of a condition or effect that was just chosen. */
export function initialFieldValues(fields: readonly RuleField[]): FieldValues {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
}

export function newRule(): Rule {
  return {
    when: "textContains",
    whenValues: initialFieldValues(conditionFields("textContains")),
    do: "insert",
    doValues: initialFieldValues(effectFields("insert")),
  };
}

const onlyAtTheStart =
  "“Start the answer with” works only before the first word. Choose “Always” or “The prompt contains” as the condition, or use “Insert text” instead.";

/** Pairs that cannot work, with the sentence that says why. */
const refusals: Readonly<Partial<Record<Effect, Partial<Record<Condition, string>>>>> = {
  startWith: {
    textContains: onlyAtTheStart,
    afterTokens: onlyAtTheStart,
    atSentenceEnd: onlyAtTheStart,
    probabilityBelow: onlyAtTheStart,
  },
  stop: {
    always:
      "This rule would stop every answer before its first word. Choose a condition other than “Always”.",
  },
};

/** Why a condition and an effect cannot be one rule; null if they can. */
export function ruleRefusal({ when, do: effect }: Pick<Rule, "when" | "do">): string | null {
  return refusals[effect]?.[when] ?? null;
}

/** The problem with the value of a field, as a sentence; null if the value is valid. */
export function fieldProblem(field: RuleField, value: FieldValue | undefined): string | null {
  switch (field.type) {
    case "text":
      return textProblem(value, field.mayBeEmpty ?? false);
    case "words":
      return wordsProblem(value, field.least ?? 1);
    case "count":
      return isCount(value) ? null : "Enter a whole number from 1 to 100,000.";
    case "probability":
      return typeof value === "number" && value > 0 && value <= 1
        ? null
        : "Enter a percentage above 0 and at most 100.";
  }
}

function isCount(value: FieldValue | undefined): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= largestCount;
}

function textProblem(value: FieldValue | undefined, mayBeEmpty: boolean): string | null {
  if (typeof value !== "string" || (value === "" && !mayBeEmpty)) return "Enter some text.";
  return value.length > longestText ? "Enter at most 4,000 characters." : null;
}

function wordsProblem(value: FieldValue | undefined, least: number): string | null {
  if (!isWordList(value) || value.length < least) {
    return least === 1 ? "Enter at least one word." : "Enter at least two answers, one per line.";
  }
  if (value.length > mostWords) return `Enter at most ${mostWords} lines.`;
  if (value.some((word) => word.length > longestText)) return "Enter at most 4,000 characters per line.";
  return new Set(value).size < value.length ? "Each line must be different." : null;
}

/** A list of words can be typed one a line: no word is blank, has a line break, or has spaces around it. */
function isWordList(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.every(
      (word) => typeof word === "string" && word !== "" && word.trim() === word && !/[\r\n]/.test(word),
    )
  );
}

export interface RuleProblem {
  readonly rule: number;
  /** Name of the field; null: the pair of condition and effect. */
  readonly field: string | null;
  readonly message: string;
}

/** All problems of the rules, in the order of the rules. */
export function ruleProblems(rules: readonly Rule[]): readonly RuleProblem[] {
  return rules.flatMap((rule, index) => {
    const refusal = ruleRefusal(rule);
    const pair = refusal === null ? [] : [{ rule: index, field: null, message: refusal }];
    return [
      ...pair,
      ...problemsOf(index, conditionFields(rule.when), rule.whenValues),
      ...problemsOf(index, effectFields(rule.do), rule.doValues),
    ];
  });
}

function problemsOf(rule: number, fields: readonly RuleField[], values: FieldValues): RuleProblem[] {
  return fields.flatMap((field) => {
    const message = fieldProblem(field, values[field.name]);
    return message === null ? [] : [{ rule, field: field.name, message }];
  });
}
