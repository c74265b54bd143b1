import { expect, test } from "vitest";
import type { Message } from "../sdk/request.ts";
import { withoutEarlierReasoning } from "./earlier-reasoning.ts";

const thought = (content: string): Message => ({ role: "assistant", content });
const marks = { open: "<think>", close: "</think>" };
const user: Message = { role: "user", content: "<think>no</think>So?" };

test("reasoning of earlier turns is taken out where the template knows nothing of it", () => {
  const messages = [user, thought("<think>\nHm\n</think>\n\nYes, <think>this</think> stays"), user];
  expect(withoutEarlierReasoning("{{ messages }}", marks, messages)).toEqual([
    user,
    thought("Yes, <think>this</think> stays"),
    user,
  ]);
  // Nothing is removed for a template that names the mark, and for models without a template.
  expect(withoutEarlierReasoning("{% if '</think>' in content %}", marks, messages)).toBe(messages);
  expect(withoutEarlierReasoning(null, marks, messages)).toBe(messages);
});

test("an answer that is to be continued keeps what it has thought", () => {
  const messages = [user, thought("<think>Hm</think>Ye")];
  expect(withoutEarlierReasoning("", marks, messages)).toEqual(messages);
});

test("a client that writes it as the API does is understood by models with other marks", () => {
  const own = { open: "[THINK]", close: "[/THINK]" };
  const messages = [
    thought("<think>\nHm\n</think>\n\nYes"),
    thought("[THINK]Hm[/THINK]Yes"),
    thought("Yes"),
    user,
  ];
  const given = (template: string) =>
    withoutEarlierReasoning(template, own, messages).map(({ content }) => content);
  expect(given("{{ messages }}")).toEqual(["Yes", "Yes", "Yes", user.content]);
  expect(given("{# [/THINK] #}")).toEqual([
    "[THINK]\nHm\n[/THINK]\n\nYes",
    ...["[THINK]Hm[/THINK]Yes", "Yes", user.content],
  ]);
});
