/** Rules survive the way into a mod and back, whatever their texts are. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { compileMod } from "../../../runtime/sandbox/compile.ts";
import { readRules, removeRulesMark } from "./read-rules.ts";
import {
  type Condition,
  conditionFields,
  conditionNames,
  type Effect,
  effectFields,
  effectNames,
  newRule,
  type Rule,
  type RuleField,
  ruleProblems,
  ruleRefusal,
} from "./rule.ts";
import { rulesMark } from "./rules-mark.ts";
import { rulesSource } from "./rules-source.ts";

/** Texts that end strings, comments, lines or templates in one language or another. */
const hostile = fc.constantFrom(
  '"',
  "'",
  "`",
  "$" + "{process.exit()}",
  "*/",
  "//",
  "\n",
  "\r\n",
  "\u2028",
  "\u2029",
  "\\",
  '\\"',
  "\n] as const;\n",
  "const rules = [\n",
  "do: {",
  "</script>",
  "\ud800",
  "\u202e",
  "\u0000",
  "👩‍👩‍👧",
  "שלום",
);
const text = fc
  .array(fc.oneof(hostile, fc.string({ unit: "binary" }), fc.string()), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""))
  .filter((each) => each !== "");
const word = text.map((each) => each.replaceAll(/[\r\n]/g, "").trim()).filter((each) => each !== "");

const values: Readonly<Record<RuleField["type"], fc.Arbitrary<Rule["doValues"][string]>>> = {
  text,
  words: fc.uniqueArray(word, { minLength: 2, maxLength: 4 }),
  count: fc.integer({ min: 1, max: 100_000 }),
  probability: fc.integer({ min: 1, max: 100 }).map((percent) => percent / 100),
};

const valuesOf = (fields: readonly RuleField[]) =>
  fc.record(Object.fromEntries(fields.map(({ name, type }) => [name, values[type]])));

const pairs = conditionNames.flatMap((when) =>
  effectNames
    .filter((effect) => ruleRefusal({ when, do: effect }) === null)
    .map((effect) => ({ when, effect })),
);

const ruleOf = ({ when, effect }: { when: Condition; effect: Effect }): fc.Arbitrary<Rule> =>
  fc
    .tuple(valuesOf(conditionFields(when)), valuesOf(effectFields(effect)))
    .map(([whenValues, doValues]) => ({ when, whenValues, do: effect, doValues }));

const rules = fc.array(fc.constantFrom(...pairs).chain(ruleOf), { minLength: 1, maxLength: 5 });

/** The code below the constant, with the texts of the constant taken out. */
const codeOf = (source: string) => source.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');

test("any text in a rule stays data, and the rules are read back", () => {
  fc.assert(
    fc.property(rules, (given) => {
      expect(ruleProblems(given)).toEqual([]);
      const source = rulesSource(given);
      expect(compileMod(source, "mod").ok).toBe(true);
      const rebuilt = given.map((rule) => ({
        ...rule,
        whenValues: plainValues(rule.whenValues),
        doValues: plainValues(rule.doValues),
      }));
      expect(codeOf(source)).toBe(codeOf(rulesSource(rebuilt)));
      expect(readRules(source)).toEqual({ type: "rules", rules: given });
    }),
    { numRuns: 200 },
  );
});

function plainValues(all: Rule["doValues"]): Rule["doValues"] {
  const plain = (value: Rule["doValues"][string]) => {
    if (typeof value === "string") return "a";
    return typeof value === "number" ? value : value.map(() => "a");
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, plain(value)]));
}

const max: Rule = {
  when: "always",
  whenValues: {},
  do: "replace",
  doValues: { replace: "Lily", with: "Max" },
};

test("a mod that somebody wrote is code", () => {
  expect(readRules('import { mod } from "midtoken/mod";')).toEqual({ type: "code" });
  expect(readRules("")).toEqual({ type: "code" });
});

test("an edit below the rules is an edit by hand, and the rules can be read", () => {
  const source = rulesSource([max]).replace("if (event.forced) return;", "");
  expect(readRules(source)).toEqual({ type: "edited", rules: [max] });
});

test("an edit inside of the rules is an edit by hand only if no rules write it", () => {
  const other = rulesSource([max]).replace('with: "Max"', 'with: "Tom"');
  const tom = { ...max, doValues: { replace: "Lily", with: "Tom" } };
  expect(readRules(other)).toEqual({ type: "rules", rules: [tom] });
  const odd = rulesSource([max]).replace('with: "Max"', 'with : "Max"');
  expect(readRules(odd).type).toBe("edited");
});

test.each([
  ["an unknown effect", 'do: { replace: "Lily", with: "Max" }', 'do: { explode: "Lily" }'],
  ["an empty phrase", 'replace: "Lily"', 'replace: ""'],
  ["a number as a text", 'replace: "Lily"', "replace: 7"],
  ["code", 'replace: "Lily"', "replace: name()"],
  ["no rules at all", "const rules = [", "const list = ["],
])("rules with %s are not read", (_, before, after) => {
  const source = rulesSource([max]);
  expect(source).toContain(before);
  expect(readRules(source.replace(before, after))).toEqual({ type: "edited", rules: null });
});

test("a word with a line break of any kind is not read: a field would show two words", () => {
  const ban: Rule = { when: "always", whenValues: {}, do: "ban", doValues: { ban: ["Lily", "ball"] } };
  for (const lineBreak of ["\n", "\r", "\r\n"]) {
    const source = rulesSource([ban]).replace('"Lily"', JSON.stringify(`Li${lineBreak}ly`));
    expect(readRules(source)).toEqual({ type: "edited", rules: null });
  }
});

test("code that is to stay code loses the mark and nothing else", () => {
  const source = rulesSource([max]);
  expect(`${rulesMark}\n${removeRulesMark(source)}`).toBe(source);
  expect(readRules(removeRulesMark(source)).type).toBe("code");
  expect(removeRulesMark("// mine")).toBe("// mine");
});

test("a new rule names the fields that are empty", () => {
  expect(ruleProblems([newRule()])).toEqual([
    { rule: 0, field: "textContains", message: "Enter some text." },
    { rule: 0, field: "insert", message: "Enter some text." },
  ]);
});
