import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PreTrainedTokenizer } from "@huggingface/transformers";
import { describe, expect, test, vi } from "vitest";
import { modelFolder } from "../../../../scripts/models-folder.ts";
import type { Message, ToolDefinition } from "../../../core/sdk/request.ts";
import {
  createTokenizer,
  type JsonObject,
  type TokenizerData,
} from "../../../core/tokenizer/create-tokenizer.ts";
import { readTokenizerFolder } from "../../../core/tokenizer/testing/repository-tokenizers.ts";
import {
  hasTestTokenizer,
  testTokenizerData,
  testTokenizerNames,
} from "../../../core/tokenizer/testing/test-tokenizers.ts";
import { createPromptFormatter } from "./chat-template.ts";

function load(data: TokenizerData, change: JsonObject = {}) {
  const { tokenizerJson } = data;
  const tokenizerConfig: JsonObject = { ...data.tokenizerConfig, ...change };
  const tokenizer = createTokenizer({ ...data, tokenizerConfig });
  const peer = new PreTrainedTokenizer(structuredClone(tokenizerJson), structuredClone(tokenizerConfig));
  return { formatter: createPromptFormatter(tokenizerConfig, tokenizer), tokenizer, peer };
}

const user = (content: Message["content"]): Message => ({ role: "user", content });
const weather: ToolDefinition = {
  type: "function",
  function: {
    name: "weather",
    description: "Weather at a place",
    parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  },
};
const conversations: [string, Message[], ToolDefinition[]][] = [
  ["one question", [user("What is the capital of France?")], []],
  ["a system message", [{ role: "system", content: "Be brief." }, user("Hi 🙂")], []],
  [
    "several turns",
    [user("a"), { role: "assistant", content: "<think>\nhm\n</think>\n\nb" }, user("c  \n"), user("d")],
    [],
  ],
  ["tools", [user("Rain in Oslo?")], [weather]],
];

for (const name of testTokenizerNames) if (!hasTestTokenizer(name)) test.skip(`${name}: set MIDTOKEN_MODELS`);

describe.each(testTokenizerNames.filter(hasTestTokenizer))("%s", (name) => {
  const { formatter, tokenizer, peer } = load(testTokenizerData(name));

  test.each(conversations)("%s: the prompt is that of transformers.js", (_what, messages, tools) => {
    const expected = peer.apply_chat_template(messages as never, {
      tools: tools.length > 0 ? (tools as never) : null,
      add_generation_prompt: true,
      return_tensor: false,
      return_dict: false,
    });
    expect(formatter.format(messages, tools)).toEqual(expected);
  });

  test("an answer that was begun is continued to the letter", () => {
    const begun = "Sure <think> é\n ";
    const prompt = formatter.format([user("Say it"), { role: "assistant", content: begun }]);
    const start = formatter.render([user("Say it")]);
    expect(formatter.render([user("Say it"), { role: "assistant", content: begun }])).toBe(start + begun);
    expect(tokenizer.decode(prompt, { specialTokens: "parse" }).endsWith(begun)).toBe(true);
  });

  test("parts of a message are its text", () => {
    const parts = [{ type: "text", text: "one " }, { type: "image" }, { type: "text", text: "two" }];
    expect(formatter.format([user(parts)])).toEqual(formatter.format([user("one two")]));
  });
});

test("the bundled model reads its prompt as llama2.c does", () => {
  const { formatter } = load(testTokenizerData("stories260k"));
  expect(formatter.chatTemplate).toBe(true);
  expect(formatter.format([user("Once upon a time")])).toEqual([1, 403, 407, 261, 378]);
});

test.skipIf(!hasTestTokenizer("qwen3-0.6b"))("a tool call is told as an object, with its result", () => {
  const { formatter } = load(testTokenizerData("qwen3-0.6b"));
  const text = formatter.render(
    [
      user("Rain in Oslo?"),
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "1", type: "function", function: { name: "weather", arguments: '{"place":"Oslo"}' } },
        ],
      },
      { role: "tool", tool_call_id: "1", content: "yes" },
    ],
    [weather],
  );
  expect(text).toContain(
    '<tool_call>\n{"name": "weather", "arguments": {"place": "Oslo"}}\n</tool_call><|im_end|>',
  );
  expect(text).toContain("<tool_response>\nyes\n</tool_response>");
  expect(text.endsWith("<|im_start|>assistant\n")).toBe(true);
});

const instruct = modelFolder("smollm2-135m-instruct");

test.skipIf(instruct === null)("SmolLM2's prompts are those of expected.json", () => {
  const folder = instruct ?? "";
  const { formatter } = load({ ...readTokenizerFolder(folder), vocabSize: 49152, eosTokenIds: [2] });
  const { cases } = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));
  expect(cases).toHaveLength(11);
  for (const { messages, prompt } of cases) expect(formatter.format(messages)).toEqual(prompt);
});

describe("without a chat template", () => {
  const { formatter } = load(testTokenizerData("stories260k"), { chat_template: null });

  test("texts are joined, with what the tokenizer puts before a text", () => {
    expect(formatter.chatTemplate).toBe(false);
    expect(formatter.format([user("Once upon"), { role: "assistant", content: " a time" }])).toEqual([
      1, 403, 407, 261, 378,
    ]);
  });

  test("nothing at all is the begin token alone", () => expect(formatter.format([])).toEqual([1]));
});

describe("templates of strangers", () => {
  const withTemplate = (chat_template: unknown) => load(testTokenizerData("stories260k"), { chat_template });
  const formatterOf = (chat_template: unknown) => {
    const { tokenizer } = load(testTokenizerData("stories260k"));
    return createPromptFormatter({ chat_template }, tokenizer);
  };

  test.each<[string, unknown, RegExp]>([
    ["broken Jinja", "{% for x in %}", /chat template "default" cannot be read/],
    ["a number", 5, /neither a string nor a list/],
    ["a list of numbers", [5], /neither a string nor a list/],
  ])("%s is refused when the model is loaded", (_what, template, message) => {
    expect(() => formatterOf(template)).toThrow(message);
  });

  test("a date is that of the day: the same all day, and the next day's prompt parts from it there", () => {
    const { tokenizer } = load(testTokenizerData("stories260k"));
    const { format } = formatterOf("{{ strftime_now('%d %B %Y') }}|{{ messages[0]['content'] }}");
    const on = (date: Date): string => {
      vi.useFakeTimers({ now: date, toFake: ["Date"] });
      try {
        return tokenizer.decode(format([user("Hi")]));
      } finally {
        vi.useRealTimers();
      }
    };
    const [morning, evening, next] = [
      on(new Date(2026, 6, 3, 8)),
      on(new Date(2026, 6, 3, 22)),
      on(new Date(2026, 6, 4, 8)),
    ];
    expect(morning).toContain("03 July 2026|Hi");
    expect(evening).toBe(morning);
    expect(next).toContain("04 July 2026|Hi");
  });

  test("a refusal of the template is told", () => {
    const formatter = formatterOf("{{ raise_exception('Roles must alternate') }}");
    expect(() => formatter.format([user("a")])).toThrow(/rejects the conversation: .*Roles must alternate/);
  });

  test("a template that leaves nothing is told", () => {
    expect(() => formatterOf("{# #}").format([user("a")])).toThrow("The conversation is empty");
  });

  test("cannot reach what is outside", () => {
    const attempts = [
      "{{ messages.constructor }}",
      "{{ messages.__proto__ }}",
      "{{ ''.constructor }}",
      "{{ process }}",
    ];
    for (const attempt of attempts) {
      let text = "";
      try {
        text = formatterOf(`x${attempt}`).render([user("a")]);
      } catch {
        continue;
      }
      expect(text).toMatch(/^x(undefined|null)?$/);
    }
  });

  test("of several, the one for tools is taken where there are tools", () => {
    const named = [
      { name: "default", template: "plain" },
      { name: "tool_use", template: "tools" },
    ];
    const { formatter } = withTemplate(named);
    expect([formatter.render([user("a")]), formatter.render([user("a")], [weather])]).toEqual([
      "plain",
      "tools",
    ]);
  });
});
