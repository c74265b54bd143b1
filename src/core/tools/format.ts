/** How a family of models writes tool calls. */
import type { Expression, Expressions } from "../masks/automaton/expression.ts";
import type { Strategy } from "../masks/strategy.ts";
import type { ToolDefinition } from "../sdk/request.ts";

/** A call as it was read: `arguments` is JSON text of an object. */
export interface ParsedCall {
  readonly name: string;
  readonly arguments: string;
}

/** A call of an answer that may still grow. */
export interface PartialCall {
  readonly name: string;
  /** JSON text of an object, or its beginning. */
  readonly arguments: string;
  /** All of the arguments have come. */
  readonly isWhole: boolean;
}

/** Calls that follow each other, and whether the last has come in part. */
export interface PartialCallList {
  readonly calls: readonly PartialCall[];
  readonly isOpen: boolean;
}

export interface ParsedAnswer {
  /** The text beside the calls, trimmed; null when there is none. */
  readonly content: string | null;
  /** At least one, in their order. */
  readonly calls: readonly ParsedCall[];
}

/** Which calls are allowed. */
export interface CallRules {
  readonly tools: readonly ToolDefinition[];
  /** Most calls in one answer. */
  readonly mostCalls: number;
}

/** Writes a marker such as `<tool_call>`: as the special token that the tokenizer has for it, else as its text. */
export type WriteMarker = (expressions: Expressions, marker: string) => Expression;

export interface ToolFormat {
  readonly name: "hermes" | "llama3" | "lfm2" | "granite" | "plain";
  /** For people: what a call looks like. */
  readonly example: string;
  /** Texts that a tokenizer may have as special tokens. */
  readonly markers: readonly string[];
  /**
   * The calls in a whole answer, special tokens written by their names. Null when it has none, or when one that was begun is
   * not well-formed: such an answer is text. Never throws.
   */
  parse(text: string): ParsedAnswer | null;
  /** Calls as they stand in a conversation, for chat templates that do not write them. */
  write(calls: readonly ParsedCall[]): string;
  /** Exactly the calls: one to `mostCalls`, spelled as the family spells them. @throws StrategyError with the keyword's path. */
  calls(rules: CallRules, marker: WriteMarker): Strategy;
  /** Text, then calls: from the first call on, the text follows `rules`. Not a text without calls. @throws StrategyError */
  textThenCalls(rules: CallRules, marker: WriteMarker): Strategy;
  /** Text in which no call begins. */
  text(marker: WriteMarker): Strategy;
}
