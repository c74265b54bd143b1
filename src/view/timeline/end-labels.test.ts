/** The label of a run's end names its cause: the token limit, a mod's limit and a full context have different labels. */
import { expect, test } from "vitest";
import { runEndSentence } from "./end-labels.ts";

type End = Parameters<typeof runEndSentence>[0];

test.each<[End["reason"], End["lengthLimit"], string]>([
  ["length", "context", "Ended: the model’s context is full. Shorten the prompt."],
  ["length", "maxTokens", "Ended: the token limit was reached."],
  ["length", "maxSteps", "Ended: a mod’s step limit was reached."],
  ["length", null, "Ended: the token limit was reached."],
  ["budget", null, "Ended: the limit of forward passes was reached."],
  ["stop", null, "Ended: the model finished."],
  ["cancelled", null, "Stopped."],
])("%s by %s", (reason, lengthLimit, sentence) => {
  expect(runEndSentence({ reason, lengthLimit })).toBe(sentence);
});
