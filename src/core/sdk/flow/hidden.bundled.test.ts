/**
 * After a hidden question was erased, the text continues as without the question, token by token: on the bundled model, at any
 * temperature.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRealTestModel, type RealTestModel } from "../../../page/examples/testing/test-model.ts";
import { uniformRandom } from "../../base/random.ts";
import { checkTrace } from "../../decoder/testing/trace-log.ts";
import { type Mod, mod } from "../mod.ts";
import type { SamplingSettings } from "../request.ts";
import { chars, choices, jsonSchema, regex, until } from "../strategies.ts";
import { flow } from "./flow.ts";
import { question } from "./question.ts";
import { type SelfPromptOptions, selfPrompt } from "./self-prompt.ts";
import { end } from "./target.ts";
import { hostOf } from "./testing/run-mod.ts";

let model: RealTestModel;
beforeAll(async () => {
  model = await openRealTestModel("public/models/stories260k", "onnx/model.onnx");
});
afterAll(() => model.dispose());

const strategies = [
  choices([" Lily", " Tim", " a big dog"]),
  choices([" Lily", " Lily and Tim"]),
  regex(/ [a-z]{2,5}( [a-z]{2,5})?/),
  until({ end: { anyOf: ".!?" }, maxTokens: 6 }),
  chars("number", { max: 3 }),
  jsonSchema({
    type: "object",
    properties: { name: { enum: ["Lily", "Tim"] }, happy: { type: "boolean" } },
    required: ["name", "happy"],
    additionalProperties: false,
  }),
] as const;

const samplings: readonly Partial<SamplingSettings>[] = [
  {},
  { topP: 0.9 },
  { repetitionPenalty: 1.3, topK: 40 },
  { presencePenalty: 0.8, frequencyPenalty: 0.5, topP: 0.95 },
  { frequencyPenalty: 1, minP: 0.02 },
];

/** A random case: which question is asked, at which step, and how often. */
interface Place {
  readonly seed: number;
  readonly step: number;
  readonly times: number;
  readonly sampling: Partial<SamplingSettings>;
  readonly options: SelfPromptOptions;
  /** A second question, which another mod asks at the same step. */
  readonly second: SelfPromptOptions | null;
  readonly atAdded: boolean;
}

function placeOf(round: number): Place {
  let drawn = 0;
  const below = (count: number) => Math.floor(uniformRandom(round, drawn++) * count);
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
  const options = (): SelfPromptOptions => {
    const temperature = pick([undefined, undefined, 0, 2]);
    return {
      prompt: pick(["", " Who was it?", " (Think about the story:\n", " She said: "]),
      strategy: pick(strategies),
      erase: "all",
      ...(temperature !== undefined && { temperature }),
    };
  };
  return {
    seed: below(2 ** 31),
    step: below(16),
    times: 1 + below(3),
    sampling: pick(samplings),
    options: options(),
    second: below(4) === 0 ? options() : null,
    atAdded: below(2) === 0,
  };
}

/** A mod that asks its question `times` times in a row, once the text has `step` tokens. */
function asking(options: SelfPromptOptions, { step, times, atAdded }: Place) {
  const hidden = selfPrompt(options);
  const answers: string[] = [];
  const made = mod((event, actions, tokenizer) => {
    if (event.step < step || (answers.length === 0 && !atAdded && event.type === "added" && !event.hidden)) {
      return null;
    }
    if (answers.length === times) return null;
    const action = hidden.handle(event, actions, tokenizer);
    const answer = hidden.answer();
    if (answer === null) return action;
    answers.push(answer);
    if (answers.length < times) hidden.reset();
    return action;
  });
  return { made, answers };
}

const messages = [{ role: "user", content: "Once upon a time" }] as const;

async function tokensOf(mods: readonly Mod[], { seed, sampling }: Place, temperature: number) {
  const run = await model.run(
    { messages, maxTokens: 22, seed, sampling, temperature },
    mods.map((each) => hostOf(each, model.tokenizer)),
  );
  expect(run.recordsOf("modCall").flatMap(({ fault }) => fault ?? [])).toEqual([]);
  const { tokens } = checkTrace(run.records);
  return { tokens, removed: run.removed.join("") };
}

describe("an erased question is without trace", () => {
  const places = 40;
  test.each([
    [0, 0],
    [0.7, places],
    [1.5, 2 * places],
  ])(`at temperature %d, ${places} of ${places} places`, async (temperature, first) => {
    let equal = 0;
    let asked = 0;
    let erased = 0;
    for (let round = first; round < first + places; round++) {
      const place = placeOf(round);
      const mods = [place.options, place.second].flatMap((options) =>
        options ? [asking(options, place)] : [],
      );
      const without = await tokensOf([], place, temperature);
      const run = await tokensOf(
        mods.map(({ made }) => made),
        place,
        temperature,
      );
      expect.soft(run.tokens, JSON.stringify(place)).toEqual(without.tokens);
      if (JSON.stringify(run.tokens) === JSON.stringify(without.tokens)) equal += 1;
      if (mods.every(({ answers }) => answers.length === place.times)) asked += 1;
      if (run.removed !== "") erased += 1;
    }
    expect({ equal, asked, erased }).toEqual({ equal: places, asked: places, erased: places });
  });
});

test("a flow with retries, hidden, leaves the text as it is without it, 20 of 20", async () => {
  let retries = 0;
  for (let round = 0; round < 20; round++) {
    const place = { ...placeOf(round), sampling: { topP: 0.95, frequencyPenalty: 0.3 } };
    const age = question({
      name: "age",
      prompt: "\nHer age was ",
      strategy: chars("digits", { min: 1, max: 2 }),
      erase: "all",
      temperature: 2,
    });
    const who = question({ name: "who", prompt: " It was", responses: [" Lily", " Tim"], erase: "all" });
    age.retry({ times: 30, valid: (answer) => Number(answer) >= 5 && Number(answer) <= 12 });
    age.then(who.then(end()));
    const whole = flow({ entry: age });
    const asking = mod((event, actions, tokenizer) => {
      if (event.step < place.step) return null;
      return whole.handle(event, actions, tokenizer);
    });
    const without = await tokensOf([], place, 1);
    const run = await tokensOf([asking], place, 1);
    expect(run.tokens).toEqual(without.tokens);
    retries += run.removed.split("Her age was").length - 2;
  }
  // Each try draws again: the same draw would be refused for ever.
  expect(retries).toBeGreaterThan(4);
});
