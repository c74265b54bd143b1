/** A short template for each family, with the same marks and content as the family's own template. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { createPromptFormatter } from "../../runtime/engine/prompt/chat-template.ts";
import type { Message } from "../sdk/request.ts";
import { createTokenizer } from "../tokenizer/create-tokenizer.ts";
import { repositoryTokenizerData } from "../tokenizer/testing/repository-tokenizers.ts";
import type { ToolFormat } from "./format.ts";
import { chatTemplateText, toolFormatOf } from "./formats.ts";
import { offerTools } from "./offer-tools.ts";
import { families } from "./testing/families.ts";
import { weather } from "./testing/tools.ts";

const tokenizer = createTokenizer(repositoryTokenizerData("stories260k"));

const hermes = `{% if tools %}TOOLS <tools>{% for t in tools %}{{ t | tojson }}{% endfor %}</tools> Answer in <tool_call></tool_call>
{% endif %}{% for m in messages %}[{{ m.role }}] {{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}
{% endfor %}{% if 'tool' == 'tool_response' %}{% endif %}`;
const llama3 = `{% if tools %}Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.{% for t in tools %}{{ t | tojson }}{% endfor %}
{% endif %}{% for m in messages %}{% if m.tool_calls %}{% if m.tool_calls | length != 1 %}{{ raise_exception("This model only supports single tool-calls at once!") }}{% endif %}[assistant] {"name": "{{ m.tool_calls[0].function.name }}", "parameters": {{ m.tool_calls[0].function.arguments | tojson }}}
{% elif m.role == "tool" %}[ipython] {{ m.content }}
{% else %}[{{ m.role }}] {{ m.content }}
{% endif %}{% endfor %}`;
const lfm2 = `{% if tools %}List of tools: <|tool_list_start|>{{ tools | tojson }}<|tool_list_end|>
{% endif %}{% for m in messages %}[{{ m.role }}] {% if m.role == "tool" %}<|tool_response_start|>{{ m.content }}<|tool_response_end|>{% else %}{{ m.content }}{% endif %}
{% endfor %}`;
const lfm2Later = `{% if tools %}List of tools: {{ tools | tojson }}
{% endif %}{% for m in messages %}[{{ m.role }}] {{ m.content }}
{% endfor %}`;
const granite3 = `{% if tools %}respond with <|tool_call|> followed by a JSON list of tools used.{{ tools | tojson }}
{% endif %}{% for m in messages %}[{{ "tool_response" if m.role == "tool" else m.role }}] {{ m.content }}
{% endfor %}`;
const chatml = "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}";

const templates: [
  name: string,
  template: string | null,
  special: string[],
  format: string,
  shows: boolean,
][] = [
  ["Hermes, Qwen, Granite 4", hermes, [], "hermes", true],
  ["Llama 3", llama3, ["<|python_tag|>"], "llama3", true],
  ["LFM2", lfm2, ["<|tool_call_start|>"], "lfm2", true],
  ["LFM2.5, whose template names no marker", lfm2Later, ["<|tool_call_start|>"], "lfm2", true],
  ["Granite 3", granite3, ["<|tool_call|>"], "granite", true],
  ["a template that knows no tools", chatml, [], "plain", false],
  ["no tools, though the tokenizer has the tokens", chatml, ["<|tool_call_start|>"], "plain", false],
  ["tools without any mark", lfm2Later, [], "plain", true],
  ["no template", null, [], "plain", false],
];

/** The compiler asks for every format here. */
const formatNames: Readonly<Record<ToolFormat["name"], true>> = {
  hermes: true,
  llama3: true,
  lfm2: true,
  granite: true,
  plain: true,
};

test("each format has a template above by which it is recognised, and a family in the suite that enforces calls", () => {
  const names = Object.keys(formatNames);
  expect(new Set(templates.map(([, , , format]) => format))).toEqual(new Set(names));
  expect(new Set(families.map(({ format }) => format.name))).toEqual(new Set(names));
});

/** The names of the formats in README.md. The compiler asks for each format but `plain`, which has no marks of its own. */
const readmeNames: Readonly<Record<Exclude<ToolFormat["name"], "plain">, string>> = {
  hermes: "Hermes/Qwen",
  llama3: "Llama 3",
  lfm2: "LFM2",
  granite: "Granite",
};

test("README.md lists exactly the formats of the table", () => {
  const readme = readFileSync(resolve(import.meta.dirname, "../../../README.md"), "utf8");
  const [, list] = /are enforced, for the formats of (.*)\.$/m.exec(readme) ?? [];
  expect(list?.split(/, | and /).toSorted()).toEqual(Object.values(readmeNames).toSorted());
});

const formatOf = (chatTemplate: string | null, special: readonly string[]) =>
  toolFormatOf({ chatTemplate, hasSpecialToken: (name) => special.includes(name) });

function render(template: string, special: string[], messages: Message[], tools = [weather]): string {
  const offered = offerTools(template, formatOf(template, special), messages, tools);
  return createPromptFormatter({ chat_template: template }, tokenizer).render(
    offered.messages,
    offered.tools,
  );
}

const user: Message = { role: "user", content: "Rain?" };
const called = (...names: string[]): Message => ({
  role: "assistant",
  content: null,
  tool_calls: names.map((name, index) => ({
    id: `c${index}`,
    type: "function",
    function: { name, arguments: `{"city":"Oslo ${index}"}` },
  })),
});
const result = (index: number): Message => ({
  role: "tool",
  tool_call_id: `c${index}`,
  content: `wet ${index}`,
});

describe.each(templates)("%s", (_name, template, special, format, shows) => {
  test("the format is found, and the tools reach the model", () => {
    expect(formatOf(template, special).name).toBe(format);
    const offered = offerTools(template, formatOf(template, special), [user], [weather]);
    expect(offered.tools).toEqual(shows ? [weather] : []);
    const text = template === null ? String(offered.messages[0]?.content) : render(template, special, [user]);
    expect(text).toContain("get_weather");
    expect(text).toContain("fahrenheit");
  });

  test("without tools nothing is added", () => {
    const offered = offerTools(template, formatOf(template, special), [user], []);
    expect(offered).toEqual({ messages: [user], tools: [] });
  });
});

const rendered = templates.flatMap(([name, template, special]) =>
  template === null ? [] : [{ name, template, special }],
);

describe.each(rendered)("$name, rendered", ({ template, special }) => {
  test("calls and their results are in the prompt, once and in order", () => {
    const text = render(template, special, [user, called("get_weather"), result(0)]);
    expect(text.match(/Oslo 0/g)).toHaveLength(1);
    expect(text.match(/wet 0/g)).toHaveLength(1);
    expect(text.indexOf("Oslo 0")).toBeLessThan(text.indexOf("wet 0"));
    // The prompt shows the model's own call in the form that the model must write.
    const written = text.slice(text.indexOf("[assistant] ") + "[assistant] ".length).split(/\n\[/)[0] ?? "";
    expect(formatOf(template, special).parse(written)?.calls).toMatchObject([{ name: "get_weather" }]);
  });

  test("several calls of one turn", () => {
    const text = render(template, special, [user, called("get_weather", "stop"), result(0), result(1)]);
    for (const part of ["Oslo 0", "Oslo 1", "wet 0", "wet 1"]) expect(text.split(part)).toHaveLength(2);
  });
});

test("where one turn takes one call, each call is followed by its result", () => {
  const text = render(llama3, [], [user, called("get_weather", "stop"), result(0), result(1)]);
  const order = ["Oslo 0", "wet 0", "Oslo 1", "wet 1"].map((part) => text.indexOf(part));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

test("a description of tools joins the system text that is there", () => {
  const offered = offerTools(
    chatml,
    formatOf(chatml, []),
    [{ role: "system", content: "Be brief." }, user],
    [weather],
  );
  expect(offered.messages).toHaveLength(2);
  expect(offered.messages[0]?.content).toMatch(
    /^Be brief\.\n\nYou can call these functions:\n\{"name":"get_weather"/,
  );
});

test("results of one turn become one turn of the user, where the template knows no tools", () => {
  const offered = offerTools(
    chatml,
    formatOf(chatml, []),
    [user, called("a", "b"), result(0), result(1), user],
    [],
  );
  expect(offered.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "user"]);
  expect(offered.messages[2]?.content).toBe(
    "<tool_response>\nwet 0\n</tool_response>\n<tool_response>\nwet 1\n</tool_response>",
  );
});

test.each([
  ["a text", "abc", "abc"],
  ["an empty text", "", null],
  ["none", undefined, null],
  [
    "the one for tools",
    [
      { name: "default", template: "a" },
      { name: "tool_use", template: "b" },
    ],
    "b",
  ],
  [
    "the default one",
    [
      { name: "rag", template: "r" },
      { name: "default", template: "a" },
    ],
    "a",
  ],
  ["something else", [5, { name: "default", template: 5 }], null],
])("the template's text: %s", (_what, value, expected) => {
  expect(chatTemplateText(value)).toBe(expected);
});
