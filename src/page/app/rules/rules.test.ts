/** Each pair of condition and effect becomes a mod that runs and does what the rule says, on a model with a script. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Mod } from "../../../core/sdk/mod.ts";
import { createScriptedModel, runMod, type Script } from "../../../package/testing/index.ts";
import { loadModSource } from "../../examples/testing/load-source.ts";
import {
  type Condition,
  conditionNames,
  type Effect,
  effectNames,
  type FieldValues,
  type Rule,
  ruleRefusal,
} from "./rule.ts";
import { rulesSource } from "./rules-source.ts";

const script: Script = [
  { One: 0.9, Two: 0.1 },
  " cat",
  " ran",
  ".",
  { " One": 0.9, " Two": 0.1 },
  " dog",
  " sat",
  { " down": 0.2, " up": 0.1 },
  ".",
];
const model = createScriptedModel({
  script,
  vocabulary: [" hen", " Q", " yes", " no", " Hi", " there"],
});
const plain = "One cat ran. One dog sat down.";

const whenValues: Readonly<Record<Condition, FieldValues>> = {
  always: {},
  promptContains: { promptContains: "story" },
  textContains: { textContains: "dog" },
  afterTokens: { afterTokens: 2 },
  atSentenceEnd: { atSentenceEnd: 1 },
  probabilityBelow: { probabilityBelow: 0.5 },
};
const doValues: Readonly<Record<Effect, FieldValues>> = {
  replace: { replace: "dog", with: "hen" },
  insert: { insert: "hen" },
  ban: { ban: ["down", "One"] },
  startWith: { startWith: "Hi there. " },
  stop: {},
  ask: { ask: "Q", answers: ["yes", "no"] },
};

const ruleOf = (when: Condition, effect: Effect): Rule => ({
  when,
  whenValues: whenValues[when],
  do: effect,
  doValues: doValues[effect],
});

async function run(rules: readonly Rule[], prompt = "Tell me a story.") {
  const { exports } = loadModSource(rulesSource(rules));
  return runMod(exports.default as Mod, { model, prompt });
}

/** The answer; "refused" where the table says that the pair cannot work. */
const expected: Readonly<Record<Condition, Readonly<Record<Effect, string>>>> = {
  always: {
    replace: "One cat ran. One hen sat down.",
    insert: "hen cat ran. One dog sat down.",
    ban: "Two cat ran. Two dog sat up.",
    startWith: "Hi there. One dog sat down.",
    stop: "refused",
    ask: plain,
  },
  promptContains: {
    replace: "One cat ran. One hen sat down.",
    insert: "hen cat ran. One dog sat down.",
    ban: "Two cat ran. Two dog sat up.",
    startWith: "Hi there. One dog sat down.",
    stop: "",
    ask: plain,
  },
  textContains: {
    replace: "One cat ran. One hen sat down.",
    insert: "One cat ran. One dog hen down.",
    ban: "One cat ran. One dog sat up.",
    startWith: "refused",
    stop: "One cat ran. One dog",
    ask: plain,
  },
  afterTokens: {
    replace: "One cat ran. One hen sat down.",
    insert: "One cat hen. One dog sat down.",
    ban: "One cat ran. Two dog sat up.",
    startWith: "refused",
    stop: "One cat",
    ask: plain,
  },
  atSentenceEnd: {
    replace: "One cat ran. One hen sat down.",
    insert: "One cat ran. hen dog sat down.",
    ban: "One cat ran. Two dog sat up.",
    startWith: "refused",
    stop: "One cat ran.",
    ask: plain,
  },
  probabilityBelow: {
    replace: plain,
    insert: "One cat ran. One dog sat hen.",
    ban: "One cat ran. One dog sat up.",
    startWith: "refused",
    stop: "One cat ran. One dog sat",
    ask: plain,
  },
};

/** The texts that the mod inserts, hidden questions and answers included. */
const putIn: Readonly<Partial<Record<Effect, readonly string[]>>> = {
  replace: [" hen"],
  ask: [" Q", "o"],
  ban: [],
};

describe.each(conditionNames)("when %s", (when) => {
  test.each(effectNames)("%s", async (effect) => {
    const rule = ruleOf(when, effect);
    if (expected[when][effect] === "refused") {
      expect(ruleRefusal(rule)).toMatch(/\.$/);
      return;
    }
    expect(ruleRefusal(rule)).toBeNull();
    const { text, forced } = await run([rule]);
    expect(text).toBe(expected[when][effect]);
    if (when !== "probabilityBelow" && putIn[effect]) expect(forced).toEqual(putIn[effect]);
  });
});

test("a rule about the prompt does nothing for another prompt", async () => {
  const rules = effectNames.map((effect) => ruleOf("promptContains", effect));
  expect((await run(rules, "Hello")).text).toBe(plain);
});

test("rules act in their order: the text comes first, then the stop", async () => {
  const rules = [
    { ...ruleOf("promptContains", "startWith"), doValues: { startWith: "Hi there." } },
    ruleOf("promptContains", "stop"),
  ];
  expect((await run(rules)).text).toBe("Hi there.");
});

test("two questions are asked one after the other, and other rules wait", async () => {
  const other = { ask: "Hi", answers: ["yes", "no"] };
  const { text, forced, removed } = await run([
    ruleOf("afterTokens", "ask"),
    { ...ruleOf("afterTokens", "ask"), doValues: other },
    ruleOf("afterTokens", "insert"),
  ]);
  expect(text).toBe("One cat hen. One dog sat down.");
  expect(forced).toEqual([" Q", "o", " Hi", "o", " hen"]);
  expect(removed).toHaveLength(2);
});

test("a replacement that contains its phrase is made once", async () => {
  const rule = { ...ruleOf("always", "replace"), doValues: { replace: "dog", with: "dog dog $&" } };
  expect((await run([rule])).text).toContain("One dog dog $&");
});

test("text is put in with a space only where a word would touch it", async () => {
  const insert = (text: string) => ({ ...ruleOf("afterTokens", "insert"), doValues: { insert: text } });
  expect((await run([insert(", yes")])).text).toMatch(/^One cat, yes/);
  expect((await run([insert(" yes")])).text).toMatch(/^One cat yes/);
});

test("the mod of six rules is the file that the type checker and the linter read", () => {
  const rules = [
    ruleOf("promptContains", "startWith"),
    ruleOf("textContains", "replace"),
    ruleOf("always", "ban"),
    ruleOf("afterTokens", "ask"),
    ruleOf("probabilityBelow", "insert"),
    ruleOf("atSentenceEnd", "stop"),
  ];
  expect(rulesSource(rules)).toBe(readFileSync("src/page/app/rules/testing/six-rules.ts", "utf8"));
});
