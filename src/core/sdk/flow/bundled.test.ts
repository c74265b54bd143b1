/** Self-prompts and flows on the bundled model: 260 thousand weights and a tokenizer of 512 tokens, both real. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRealTestModel, type RealTestModel } from "../../../page/examples/testing/test-model.ts";
import { type Mod, mod } from "../mod.ts";
import type { TokenId } from "../request.ts";
import { chars, choices, jsonSchema } from "../strategies.ts";
import { flow } from "./flow.ts";
import { question } from "./question.ts";
import { type SelfPromptOptions, selfPrompt } from "./self-prompt.ts";
import { output } from "./target.ts";
import { hostOf } from "./testing/run-mod.ts";

let model: RealTestModel;
/** Without any mod. */
let plain: Awaited<ReturnType<typeof run>>;
beforeAll(async () => {
  model = await openRealTestModel("public/models/stories260k", "onnx/model.onnx");
  plain = await run();
});
afterAll(() => model.dispose());

const messages = [{ role: "user", content: "Once upon a time" }] as const;

async function run(mods: readonly Mod[] = [], maxTokens = 36) {
  const outcome = await model.run(
    { messages, maxTokens },
    mods.map((each) => hostOf(each, model.tokenizer)),
  );
  expect(outcome.recordsOf("modCall").flatMap(({ fault }) => fault ?? [])).toEqual([]);
  return outcome;
}

/** Runs a mod that asks a question from a step on. Returns also the answer and the final tokens. */
async function asked(step: number, options: SelfPromptOptions) {
  const hidden = selfPrompt(options);
  const seen: { answer: string | null; tokens: readonly TokenId[] } = { answer: null, tokens: [] };
  const asking = mod((event, actions, tokenizer) => {
    if (event.type === "finished") seen.tokens = event.tokens;
    if (event.step < step) return null;
    const action = hidden.handle(event, actions, tokenizer);
    seen.answer = hidden.answer();
    return action;
  });
  return { ...(await run([asking])), ...seen };
}

const prompt = " Was it Lily or Tim? It was";
const strategy = choices([" Lily", " Tim"]);

describe("the table of the specification", () => {
  test.each<[number, SelfPromptOptions["erase"], string | undefined]>(
    [0, 9].flatMap((step) =>
      (["none", "prompt", "all"] as const).flatMap((erase) =>
        [undefined, "\n"].map((completion): [number, typeof erase, string | undefined] => [
          step,
          erase,
          completion,
        ]),
      ),
    ),
  )("from step %d, erase %s, completion %j", async (step, erase, completion) => {
    const options = { prompt, strategy, ...(erase && { erase }), ...(completion && { completion }) };
    const { answer, finished, tokens } = await asked(step, options);
    expect(["Lily", "Tim"]).toContain(answer);
    const own = {
      none: `${prompt} ${answer}${completion ?? ""}`,
      prompt: ` ${answer}`,
      all: "",
    }[erase ?? "none"];
    const { decode } = model.tokenizer;
    const length = tokens.findIndex((_, end) => decode(tokens.slice(step, end)) === own);
    expect(length).toBeGreaterThanOrEqual(0);
    // If a mod forces the same tokens without a question, the text continues in the same way.
    const forcing = mod((event, actions) => {
      if (event.type !== "forwardPass" || event.step !== step || own === "") return null;
      return actions.forceTokens(tokens.slice(step, length));
    });
    expect(finished.text).toBe((await run([forcing])).finished.text);
  });
});

describe("in the middle of a generation an erased question leaves no trace in the text", () => {
  test.each([
    ["choices", strategy],
    ["open choices", choices([" Lily", " Lily and Tim", " Tim"])],
    ["a number", chars("number", { max: 4 })],
    ["letters", chars("letters", { min: 3, max: 3 })],
    [
      "JSON",
      jsonSchema({
        type: "object",
        properties: { happy: { type: "boolean" } },
        required: ["happy"],
        additionalProperties: false,
      }),
    ],
  ])("%s", async (_, kind) => {
    for (const step of [0, 1, 7]) {
      const { finished, answer, removed } = await asked(step, { prompt, strategy: kind, erase: "all" });
      expect(answer).not.toBeNull();
      expect(removed[0]?.startsWith(prompt)).toBe(true);
      expect(finished.text).toBe(plain.finished.text);
    }
  });
});

test("a flow of three questions, then the answers as the whole output", async () => {
  const place = question({
    name: "place",
    prompt: " They played in the",
    responses: [" park", " house"],
    erase: "all",
  });
  const who = question({ name: "who", prompt, strategy, erase: "all" });
  const count = question({ name: "count", prompt: " They had", responses: [" two", " three"], erase: "all" });
  who.then(place);
  place.on("park", count).on("house", count);
  count.then(({ answers }) => output(JSON.stringify(answers)));
  const { finished } = await run([flow({ entry: who }).asMod()], 80);
  expect(finished.reason).toBe("forced");
  expect(JSON.parse(finished.text)).toEqual({
    who: expect.stringMatching(/^(Lily|Tim)$/),
    place: expect.stringMatching(/^(park|house)$/),
    count: expect.stringMatching(/^(two|three)$/),
  });
});

test("tokens that have no alternative cost no pass", async () => {
  const schema = {
    type: "object",
    properties: { name: { enum: ["Lily", "Tim"] }, happy: { type: "boolean" } },
    required: ["name", "happy"],
    additionalProperties: false,
  };
  const { finished, answer } = await asked(0, { prompt: " As JSON: ", strategy: jsonSchema(schema) });
  const value = JSON.parse(answer ?? "");
  expect(value).toEqual({ name: expect.stringMatching(/^(Lily|Tim)$/), happy: expect.any(Boolean) });
  const tokens = model.tokenizer.encode(answer ?? "").length;
  const { finished: unasked } = await run([], 36 - tokens - model.tokenizer.encode(" As JSON: ").length);
  // The model has only two choices.
  expect(finished.usage.forwardPasses - unasked.usage.forwardPasses).toBeLessThanOrEqual(4);
});
