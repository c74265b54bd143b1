import { expect, test } from "vitest";
import { readSourceNeeds } from "./source-needs.ts";

test.each([
  ["event.logits[3] = 0;", true],
  ["const { logits } = event;", true],
  ["forwardPass({ logits, step }, actions) {", true],
  ["event\n  .logits", true],
  ['event["logits"]', true],
  ["const url = 'http://x'; event.logits;", true],
  ["return actions.adjustLogits({ ban: [1] });", false],
  ["// reads event.logits\nreturn null;", false],
  ["/** all logits\n * of a step */ mod()", false],
  ["  /* event.logits */ event.logits", true],
])("%j reads logits: %s", (source, logits) => {
  expect(readSourceNeeds(source).logits).toBe(logits);
});

test.each([
  ["getConversation().length", true],
  ['import { getConversation as talk } from "midtoken/mod";', true],
  ["// getConversation()\nmod()", false],
  ["event.messages", false],
])("%j reads the conversation: %s", (source, conversation) => {
  expect(readSourceNeeds(source).conversation).toBe(conversation);
});
