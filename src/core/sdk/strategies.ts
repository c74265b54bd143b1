/** `midtoken/strategies`: strategies, which limit an answer's text. Its exports are listed by hand; at most 25 names. */

export type { JsonOptions } from "../masks/json-schema/compile.ts";
export type { Constraint, ConstraintState } from "../masks/masks/constraint.ts";
export { constraintOf } from "../masks/masks/constraint.ts";
export type { CharsKind, CharsOptions } from "../masks/strategies/chars.ts";
export { chars } from "../masks/strategies/chars.ts";
export { choices } from "../masks/strategies/choices.ts";
export { grammar } from "../masks/strategies/grammar.ts";
export { jsonSchema } from "../masks/strategies/json-schema.ts";
export type { ListOptions } from "../masks/strategies/list.ts";
export { list } from "../masks/strategies/list.ts";
export { oneOf } from "../masks/strategies/one-of.ts";
export { regex } from "../masks/strategies/regex.ts";
export { seq } from "../masks/strategies/seq.ts";
export type { UntilOptions } from "../masks/strategies/until.ts";
export { until } from "../masks/strategies/until.ts";
export type { Strategy } from "../masks/strategy.ts";
export { ConstraintLimitError, StrategyError } from "../masks/strategy-error.ts";
