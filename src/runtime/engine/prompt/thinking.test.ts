import { describe, expect, test } from "vitest";
import type { Message } from "../../../core/sdk/request.ts";
import { createTokenizer } from "../../../core/tokenizer/create-tokenizer.ts";
import { hasTestTokenizer, testTokenizerData } from "../../../core/tokenizer/testing/test-tokenizers.ts";
import { createPromptFormatter } from "./chat-template.ts";
import { thinkingAtEnd } from "./thinking.ts";

const data = testTokenizerData("smollm2-135m");
const tokenizer = createTokenizer(data);
const formatterOf = (template: string) =>
  createPromptFormatter({ ...data.tokenizerConfig, chat_template: template }, tokenizer);
const user: Message[] = [{ role: "user", content: "Hi" }];

const turns = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}";
const skips = "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}";
const prompted = `${turns}<|im_start|>assistant\n`;

describe("what a template says of thinking", () => {
  const marks = { open: "<think>", close: "</think>" };
  const cases: [string, string, object | null][] = [
    ["nothing", prompted, null],
    ["a switch that closes the reasoning", prompted + skips, { ...marks, variable: "enable_thinking" }],
    [
      "a switch of the other name, off unless set",
      `${prompted}{% if thinking %}<think>{% else %}</think>{% endif %}`,
      { ...marks, variable: "thinking" },
    ],
    [
      "reasoning that is always begun",
      `${prompted}<think>\n`.replace("\n<", "\n{# </think> #}<"),
      { ...marks, variable: null },
    ],
    [
      "a name that changes nothing",
      `${prompted}{# enable_thinking, </think> #}`,
      { ...marks, variable: null },
    ],
    [
      "a template that refuses the probe",
      `{% if messages|length < 2 %}{{ raise_exception("no") }}{% endif %}${prompted}${skips}`,
      { ...marks, variable: null },
    ],
    [
      "other marks",
      `${prompted}{# <reasoning></reasoning> #}`,
      { open: "<reasoning>", close: "</reasoning>", variable: null },
    ],
  ];
  test.each(cases)("%s", (_what, template, expected) => {
    expect(formatterOf(template).thinking).toEqual(expected);
  });

  test("the switch changes the prompt, and the prompt says where the reasoning stands", () => {
    const { render, format, reasoningAt } = formatterOf(prompted + skips);
    expect(render(user, [], false)).toBe(`${render(user)}<think>\n\n</think>\n\n`);
    expect(render(user, [], true)).toBe(render(user));
    expect(format(user, [], { thinks: false })).toEqual(tokenizer.encodePrompt(render(user, [], false)));
    expect([undefined, true, false].map((thinks) => reasoningAt(user, [], thinks))).toEqual([
      "free",
      "free",
      "over",
    ]);
  });
});

test.each<[string, string, string, ReturnType<typeof thinkingAtEnd>]>([
  ["a plain end", "<|im_start|>assistant\n", "", "free"],
  ["the template begins it", "assistant\n<think>\n", "", "begun"],
  ["the template closes it", "assistant\n<think>\n\n</think>\n\n", "", "over"],
  ["the user wrote the mark", "user\n<think><|im_end|>assistant\n", "", "free"],
  ["an answer that was begun", "assistant\n", "Sure", "over"],
  ["an answer whose reasoning was begun", "assistant\n", "<think>\nHm", "begun"],
  ["an answer whose reasoning is over", "assistant\n", "<think>a</think>b", "over"],
  ["begun by the template and continued", "assistant\n<think>\n", "Hm", "begun"],
  ["begun by the template and ended", "assistant\n<think>\n", "Hm</think>So", "over"],
])("%s", (_what, prompt, continued, expected) => {
  expect(thinkingAtEnd(prompt + continued, continued, { open: "<think>", close: "</think>" })).toBe(expected);
});

test.skipIf(!hasTestTokenizer("qwen3-0.6b"))(
  "Qwen3: a switch, and earlier reasoning left out by its template",
  () => {
    const qwen = testTokenizerData("qwen3-0.6b");
    const { thinking, render, reasoningAt } = createPromptFormatter(
      qwen.tokenizerConfig,
      createTokenizer(qwen),
    );
    expect(thinking).toEqual({ open: "<think>", close: "</think>", variable: "enable_thinking" });
    expect(reasoningAt(user, [], false)).toBe("over");
    expect(reasoningAt(user)).toBe("free");
    const again: Message[] = [
      ...user,
      { role: "assistant", content: "<think>\nHm\n</think>\n\nYes" },
      ...user,
    ];
    expect(render(again)).not.toContain("Hm");
  },
);
