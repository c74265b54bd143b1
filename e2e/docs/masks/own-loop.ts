import { applyMask, createMatcher, jsonSchema, vocabularyFromList } from "midtoken/masks";

// The text or the bytes of each token; null for special tokens.
const vocabulary = vocabularyFromList(
  ["{", "}", '"', ":", '"ok":', "true", "false", "t", "r", "u", "e", null],
  { eosTokenIds: [11] },
);

/** Stands for your model: it likes braces. */
const logitsOfNextToken = () => Float32Array.of(9, 8, 1, 1, 2, 4, 3, 5, 1, 1, 1, 0);

const strategy = jsonSchema({
  type: "object",
  properties: { ok: { type: "boolean" } },
  required: ["ok"],
  additionalProperties: false,
});

const matcher = createMatcher(strategy, vocabulary);
while (!matcher.isComplete) {
  const logits = logitsOfNextToken();
  // The end of the sequence is never in a mask: it may come where the answer can end.
  applyMask(logits, matcher.mask(), matcher.canEnd ? vocabulary.eosTokenIds : []);
  const likeliest = logits.indexOf(Math.max(...logits));
  if (vocabulary.eosTokenIds.includes(likeliest)) break;
  matcher.accept(likeliest);
}

export const answer = matcher.answer;
