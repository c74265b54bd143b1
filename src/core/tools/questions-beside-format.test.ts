/**
 * Questions of mods in requests with a response format: the part of a question that stays must fit the format, or the request
 * is refused as early as possible.
 */
import { describe, expect, test } from "vitest";
import { hostOf } from "../sdk/flow/testing/run-mod.ts";
import { flow, question, selfPrompt, selfPromptMod } from "../sdk/flow.ts";
import { type Mod, mod } from "../sdk/mod.ts";
import { defaultSampling } from "../sdk/request.ts";
import { choices } from "../sdk/strategies.ts";
import { createTokenizer } from "../tokenizer/create-tokenizer.ts";
import { repositoryTokenizerData } from "../tokenizer/testing/repository-tokenizers.ts";
import { plainFormat } from "./leading-object.ts";
import { type RequestCase, recitingModel, runRequestCase } from "./testing/answer.ts";
import { tools } from "./testing/tools.ts";

const tokenizer = createTokenizer(repositoryTokenizerData("smollm2-135m"));
const prompt = tokenizer.encode("Tell me.");
const schema = {
  type: "object",
  properties: { city: { enum: ["Oslo", "Rome"] } },
  required: ["city"],
  additionalProperties: false,
};
const report = { type: "json_schema", json_schema: { name: "report", schema } };
const anyObject = { type: "json_object" };

async function finishedWith(asking: Mod, rest: Partial<RequestCase> = {}) {
  const { finished } = await runRequestCase({
    model: recitingModel(tokenizer, prompt.length, tokenizer.encode('{"city": "Oslo"}')),
    tokenizer,
    format: plainFormat,
    prompt,
    mods: [hostOf(asking, tokenizer)],
    responseFormat: report,
    ...rest,
    request: { sampling: { ...defaultSampling, temperature: 0 }, maxTokens: 60, ...rest.request },
  });
  return finished;
}

const strategy = choices(["yes", "no"]);
const asked = (text: string) => selfPromptMod({ prompt: text, strategy, name: "mine" });
const flowOf = (text: string) =>
  flow({ entry: question({ name: "kind", prompt: text, responses: ["yes", "no"] }) }).asMod();

describe("a question that stays and cannot begin the answer is refused before the first forward pass", () => {
  test.each<[string, Mod, Partial<RequestCase>, string]>([
    [
      "a self-prompt",
      asked("Is it warm? "),
      {},
      'The self-prompt "Is it warm? " would become part of the answer, but the request\'s response_format does not allow "Is" at the beginning of the answer. Text allowed there: "{", "{\\"". To keep the question out of the answer, set erase: "all" on the question.',
    ],
    [
      "one that begins as the format does",
      asked('{"town": '),
      {},
      'The self-prompt "{\\"town\\": " would become part of the answer, but the request\'s response_format does not allow "town" after "{\\"". Text allowed there: "c", "ci", "city", "cit". To keep the question out of the answer, set erase: "all" on the question.',
    ],
    ["any object", asked("Warm? "), { responseFormat: anyObject }, "does not allow"],
    [
      "tokens",
      selfPromptMod({ prompt: tokenizer.encode("Warm? "), strategy }),
      {},
      "The self-prompt would become part of",
    ],
    ["a flow", flowOf("Is it warm? "), {}, 'The flow\'s question "kind" would become part of the answer'],
    [
      "where a mod's fault would not end the request",
      asked("Is it warm? "),
      { request: { onModError: "continue" } },
      "does not allow",
    ],
  ])("%s", async (_what, asking, rest, message) => {
    const finished = await finishedWith(asking, rest);
    expect(finished).toMatchObject({ reason: "error", text: "", usage: { forwardPasses: 0 } });
    expect(finished.error?.message).toContain(message);
  });
});

test.each<[string, Mod, RegExp]>([
  [
    "a self-prompt",
    selfPromptMod({ prompt: '{"city":', strategy: choices([' "Rome"']) }),
    /^\{"city": "Rome"\}$/,
  ],
  [
    "a flow",
    flow({ entry: question({ name: "city", prompt: '{"city":', responses: [' "Rome"'] }) }).asMod(),
    /^\{"city": "Rome"\}$/,
  ],
  [
    "a self-prompt of which nothing stays",
    selfPromptMod({ prompt: "Warm? ", strategy, erase: "all" }),
    /Oslo/,
  ],
  ["a question that is answered without the model", answeredFlow(), /^\{"city": "Rome"\}$/],
])("%s that fits is asked", async (_what, asking, text) => {
  const finished = await finishedWith(asking);
  expect(finished).toMatchObject({ reason: "stop", error: null });
  expect(finished.text).toMatch(text);
});

/** A flow whose first question is answered automatically, so that its prompt is never written. */
function answeredFlow(): Mod {
  const city = question({ name: "city", prompt: "Which city? ", responses: ["Rome"] });
  return flow({ entry: city.autoAnswer(() => "Rome").then('{"city": "Rome"}') }).asMod();
}

test('without a format, and with "text", a question may begin as it likes', async () => {
  for (const responseFormat of [null, { type: "text" }]) {
    const { text, reason } = await finishedWith(asked("Is it warm? "), { responseFormat });
    expect(text).toMatch(/^Is it warm\? (yes|no)/);
    expect(reason).toBe("stop");
  }
});

describe("what cannot be known before is an error as soon as it stands in the answer, after one forward pass", () => {
  const byHand = selfPrompt({ prompt: "Warm? ", strategy });
  test.each<[string, Mod, Partial<RequestCase>]>([
    ["a prompt that a function gives", selfPromptMod({ prompt: () => "Warm? ", strategy }), {}],
    [
      "a question that is asked by hand",
      mod((...turn) => byHand.handle(...turn), { name: "self-prompt" }),
      {},
    ],
    ["beside tools, whose calls each model writes in its own way", asked("Warm? "), { tools }],
  ])("%s", async (_what, asking, rest) => {
    const finished = await finishedWith(asking, rest);
    expect(finished).toMatchObject({ reason: "error", usage: { forwardPasses: 1 } });
    expect(finished.error?.message).toMatch(
      /^The mod "(mine|self-prompt)" put "W" where the request's .* does not allow it\. .* erase: "all"/,
    );
  });
});
