/** Each family's marks, with a real tokenizer and the family's special tokens, from the template to the parts of an answer. */
import { describe, expect, test } from "vitest";
import { Detokenizer } from "../../../core/sdk/detokenizer.ts";
import { createTokenizer, type JsonObject } from "../../../core/tokenizer/create-tokenizer.ts";
import { repositoryTokenizerData } from "../../../core/tokenizer/testing/repository-tokenizers.ts";
import { splitReasoning } from "../../../core/trace/text/reasoning.ts";
import { createPromptFormatter } from "./chat-template.ts";
import { withNonSpecialReasoningTokens } from "./reasoning-marks.ts";

const data = repositoryTokenizerData("smollm2-135m");
const END = 2;

/** A model with this template, and with these special tokens in addition to its own. */
function modelOf(special: readonly string[], template: string, ends: readonly number[] = [END]) {
  const extra = special.map((content, place) => ({
    id: data.vocabSize + place,
    content,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  }));
  const added = [...(data.tokenizerJson.added_tokens as JsonObject[]), ...extra];
  const json = { ...data.tokenizerJson, added_tokens: added };
  const tokenizer = createTokenizer({
    tokenizerJson: withNonSpecialReasoningTokens(json, template, ends),
    tokenizerConfig: data.tokenizerConfig,
    vocabSize: data.vocabSize + special.length,
    eosTokenIds: ends,
  });
  const formatter = createPromptFormatter({ ...data.tokenizerConfig, chat_template: template }, tokenizer);
  return { json, tokenizer, formatter };
}

const turns = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}";
const harmony = ["<|start|>", "<|channel|>", "<|message|>", "<|end|>"];

const families: [string, readonly string[], string, string, object][] = [
  [
    "gpt-oss",
    harmony,
    `{# <|channel|>analysis<|message|> <|channel|>final<|message|> #}${turns}<|start|>assistant`,
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.",
    { reasoning: "Hm.", answer: "Yes." },
  ],
  [
    "gpt-oss, which need not think",
    harmony,
    `{# <|channel|>analysis<|message|> <|channel|>final<|message|> #}${turns}<|start|>assistant`,
    "<|channel|>final<|message|>Yes.",
    { reasoning: null, answer: "Yes." },
  ],
  [
    "Gemma 4",
    ["<|channel>", "<channel|>"],
    `${turns}{% if not enable_thinking %}<|channel>thought\n<channel|>{% endif %}`,
    "<|channel>thought\nHm.<channel|>Yes.",
    { reasoning: "Hm.", answer: "Yes." },
  ],
  [
    "Magistral",
    ["[THINK]", "[/THINK]"],
    `Think in [THINK]words[/THINK].${turns}`,
    "[THINK]Hm.[/THINK]Yes.",
    { reasoning: "Hm.", answer: "Yes." },
  ],
  [
    "Seed-OSS",
    ["<seed:think>", "</seed:think>"],
    `{# </seed:think> #}${turns}`,
    "<seed:think>Hm.</seed:think>Yes.",
    { reasoning: "Hm.", answer: "Yes." },
  ],
  [
    "Command A",
    ["<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>"],
    `{# <|END_THINKING|> #}${turns}`,
    "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>",
    { reasoning: "Hm.", answer: "Yes." },
  ],
  [
    "Apertus",
    ["<|inner_prefix|>", "<|inner_suffix|>"],
    `{# <|inner_suffix|> #}${turns}`,
    "<|inner_prefix|>Hm.<|inner_suffix|>Yes.",
    { reasoning: "Hm.", answer: "Yes." },
  ],
  [
    "OpenThinker, in texts that are no tokens",
    [],
    `<|begin_of_thought|> words <|end_of_thought|>${turns}`,
    "<|begin_of_thought|>\n\nHm.\n\n<|end_of_thought|>\n\n<|begin_of_solution|>\n\nYes.\n\n<|end_of_solution|>",
    { reasoning: "Hm.", answer: "Yes." },
  ],
  [
    "Granite 3.2, in plain words",
    [],
    `You should write 'Here is my thought process:' and then 'Here is my response:'.${turns}`,
    "Here is my thought process: Hm.\nHere is my response:\nYes.",
    { reasoning: "Hm.", answer: "Yes." },
  ],
  [
    "Granite 3.3",
    [],
    `Think between <think></think> and write between <response></response>.${turns}`,
    "<think>Hm.</think>\n<response>Yes.</response>",
    { reasoning: "Hm.", answer: "Yes." },
  ],
  [
    "Hunyuan",
    [],
    `{# </think> <answer> #}${turns}`,
    "<think>\nHm.\n</think>\n<answer>\nYes.\n</answer>",
    { reasoning: "Hm.", answer: "Yes." },
  ],
  [
    "EXAONE Deep",
    [],
    `{# </thought> #}${turns}`,
    "<thought>\nHm.\n</thought>\n\nYes.",
    { reasoning: "Hm.", answer: "Yes." },
  ],
];

describe("reasoning and answer are told apart", () => {
  test.each(families)("%s", (_name, special, template, said, parts) => {
    const { tokenizer, formatter } = modelOf(special, template);
    const text = new Detokenizer(tokenizer);
    for (const token of tokenizer.encodePrompt(said)) text.append(token);
    const { thinking } = formatter;
    expect(splitReasoning(text.text, thinking && { ...thinking, isBegun: false })).toMatchObject(parts);
  });
});

test("a model that only has the tokens does not think, as those of one family share their tokenizer", () => {
  const { formatter } = modelOf(["[THINK]", "[/THINK]"], turns);
  expect(formatter.thinking).toBe(null);
});

test("special tokens of no mark stay out of the text, and so does what ends a sequence", () => {
  const close = data.vocabSize + 1;
  const { json, tokenizer, formatter } = modelOf(["[THINK]", "[/THINK]"], "{# [/THINK] #}", [close]);
  expect(tokenizer.decode(tokenizer.encodePrompt("<|im_start|>[THINK]Hm[/THINK]"))).toBe("[THINK]Hm");
  // Nothing would show where the reasoning ends.
  expect(formatter.thinking).toBe(null);
  expect(withNonSpecialReasoningTokens(json, turns, [END])).toBe(json);
});

test("the switch of a template whose marks are special tokens", () => {
  const [, special, template] = families[2] as (typeof families)[number];
  const { formatter } = modelOf(special, template);
  const messages = [{ role: "user" as const, content: "Hi" }];
  expect(formatter.thinking).toMatchObject({ variable: "enable_thinking" });
  expect([true, false].map((thinks) => formatter.reasoningAt(messages, [], thinks))).toEqual([
    "free",
    "over",
  ]);
});
