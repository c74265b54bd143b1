/**
 * `midtoken/masks`: the mask engine alone. A strategy and a vocabulary give, for every step, the tokens that may come next.
 * For loops of your own, and as a ready LogitsProcessor for @huggingface/transformers. Strategies that are not one language
 * in a text (`choices`, `chars`, `until`, `list`, `oneOf`, `seq`) are in `midtoken/strategies`, and work here. Listed by hand.
 */

export type { Logits } from "./interop/apply-mask.ts";
export { applyMask } from "./interop/apply-mask.ts";
export type {
  ConstraintLogitsProcessor,
  LogitsProcessorOptions,
  LogitsTensor,
} from "./interop/logits-processor.ts";
export { createLogitsProcessor } from "./interop/logits-processor.ts";
export type { Matcher } from "./interop/matcher.ts";
export { createMatcher } from "./interop/matcher.ts";
export type { TokenRow } from "./interop/sequence-rows.ts";
export type { VocabularyListOptions } from "./interop/vocabulary-from-list.ts";
export { vocabularyFromList } from "./interop/vocabulary-from-list.ts";
export type {
  TokenizerVocabularyOptions,
  TransformersTokenizer,
} from "./interop/vocabulary-from-tokenizer.ts";
export { vocabularyFromTokenizer } from "./interop/vocabulary-from-tokenizer.ts";
export type { JsonOptions } from "./json-schema/compile.ts";
export type { Constraint, ConstraintState } from "./masks/constraint.ts";
export { constraintOf } from "./masks/constraint.ts";
export { grammar } from "./strategies/grammar.ts";
export { jsonSchema } from "./strategies/json-schema.ts";
export { regex } from "./strategies/regex.ts";
export type { Strategy, StrategyKind } from "./strategy.ts";
export { ConstraintLimitError, StrategyError } from "./strategy-error.ts";
export { hasToken } from "./vocabulary/token-bits.ts";
export type { TokenBytes } from "./vocabulary/token-texts.ts";
