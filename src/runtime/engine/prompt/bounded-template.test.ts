/**
 * Templates that make endless texts and lists are refused before memory is full. `chat-template.test.ts` compares the
 * templates of real models with the library's own rendering.
 */
import { Template } from "@huggingface/jinja";
import { afterEach, describe, expect, test, vi } from "vitest";
import { BoundedTemplate, templateLimits } from "./bounded-template.ts";

afterEach(() => vi.useRealTimers());

const render = (text: string, variables: Record<string, unknown> = {}) =>
  new BoundedTemplate(text).render(variables);

/** A template that changes `ns.x` this many times. */
const repeated = (first: string, times: number, change: string) =>
  `{% set ns = namespace(x=${first}) %}{% for i in range(${times}) %}{% set ns.x = ${change} %}{% endfor %}`;

test.each([
  [
    "a range ends the process in Node",
    "{% for i in range(4000000000) %}{% endfor %}",
    "a range of 4000000000 entries",
  ],
  [
    "a range without end",
    "{% for i in range(0, 1, 0.0000000000001) %}{% endfor %}",
    "a range of 10000000000000 entries",
  ],
  [
    "a range downwards",
    "{% for i in range(0, -4000000000, -1) %}{% endfor %}",
    "a range of 4000000000 entries",
  ],
  ["a list that doubles", repeated("[1]", 60, "ns.x + ns.x"), "a list of 131072 entries"],
  ["a text that doubles", repeated("'abcd'", 60, "ns.x ~ ns.x"), "a string of 4194304 characters"],
  [
    "a text in pieces",
    `${repeated("'ab'", 18, "ns.x ~ ns.x")}{{ ns.x.split('b') }}`,
    "a list of 262145 entries",
  ],
  [
    "a text of replacements",
    `${repeated("'a'", 20, "ns.x ~ ns.x")}{{ ns.x | replace('a', 'é' ~ ns.x[:200]) }}`,
    "a string of 210763776 characters",
  ],
  ["many lists", repeated("range(100000)", 90, "ns.x[0:]"), "entries in total; the limit is 2000000"],
  [
    "many texts",
    `${repeated("'abcd'", 19, "ns.x ~ ns.x")}{% for i in range(90000) %}{{ ns.x | upper }}{% endfor %}`,
    "characters in total; the limit is 64000000",
  ],
])("%s: refused", (_, template, expected) => {
  expect(() => render(template)).toThrow(expected);
});

test("a step of zero is refused, as in Python", () => {
  expect(() => render("{{ range(1, 2, 0) }}")).toThrow("range() step must not be zero");
});

test("a long conversation may be copied by its template, whatever its size", () => {
  const content = "x".repeat(templateLimits.textCharacters + 1);
  const many = Array.from({ length: templateLimits.listEntries + 1 }, (_, i) => `${i}`);
  const template =
    "{% macro say(t) %}{{ t | trim }}{% endmacro %}{{ say(content) }}{% for t in many[1:] %}{{ t }}{% endfor %}";
  expect(render(template, { content, many })).toBe(content + many.slice(1).join(""));
});

describe("the names that templates may use give what the library gives", () => {
  test.each([
    "{{ range(3) }} {{ range(1, 4) }} {{ range(9, 1, -3) }} {{ range(5, 1) }} {{ range(-2) }} {{ range(0, 10, 4) }}",
    "{{ true }} {{ True }} {{ false }} {{ False }} {{ none is none }} {{ None is none }}",
    "{{ strftime_now('%d %B %Y %H:%M') }}",
    "{{ missing is defined }} {{ a.b[0] }} {{ a | tojson }}",
  ])("%s", (template) => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 27, 12, 34) });
    const variables = { a: { b: ["c", 1] } };
    expect(render(template, variables)).toBe(new Template(template).render(variables));
  });

  test("raise_exception", () => {
    const template = "{{ raise_exception('Roles must alternate.') }}";
    expect(() => render(template)).toThrow("Roles must alternate.");
    expect(() => new Template(template).render()).toThrow("Roles must alternate.");
  });
});
