/** The interface of a format: how a family of models writes tool calls. */
import type { Expression, Expressions } from "../masks/automaton/expression.ts";
import type { Strategy } from "../masks/strategy.ts";
import type { ToolDefinition } from "../sdk/request.ts";

/** A call that was read from an answer: `arguments` is JSON text of an object. */
export interface ParsedCall {
  readonly name: string;
  readonly arguments: string;
}

/** A call of an answer that may still grow. */
export interface PartialCall {
  readonly name: string;
  /** JSON text of an object, or its beginning. */
  readonly arguments: string;
  /** True if the arguments are complete. */
  readonly isWhole: boolean;
}

/** Consecutive calls. `isOpen`: the last call, or a further call without a name yet, is incomplete. */
export interface PartialCallList {
  readonly calls: readonly PartialCall[];
  readonly isOpen: boolean;
}

export interface ParsedAnswer {
  /** The text besides the calls, trimmed; null if there is none. */
  readonly content: string | null;
  /** At least one call, in order. */
  readonly calls: readonly ParsedCall[];
}

/** The calls that an answer may have. */
export interface CallRules {
  readonly tools: readonly ToolDefinition[];
  /** The most calls in one answer. */
  readonly mostCalls: number;
}

/** Writes a marker such as `<tool_call>`: as a special token if the tokenizer has one, otherwise as text. */
export type WriteMarker = (expressions: Expressions, marker: string) => Expression;

export interface ToolFormat {
  readonly name: "hermes" | "llama3" | "lfm2" | "granite" | "plain";
  /** An example of a call, for people. */
  readonly example: string;
  /** Texts that a tokenizer may have as special tokens. */
  readonly markers: readonly string[];
  /**
   * Reads the calls of a whole answer, in which special tokens are written by their names. Null if there is no call, or if a
   * call is not well-formed: then the answer is text. Never throws.
   */
  parse(text: string): ParsedAnswer | null;
  /** Writes calls for a conversation, for chat templates that do not write calls. */
  write(calls: readonly ParsedCall[]): string;
  /**
   * The language of one to `mostCalls` calls and no other text, in the family's format. @throws StrategyError with the
   * keyword's path.
   */
  calls(rules: CallRules, marker: WriteMarker): Strategy;
  /** The language of any text, then one or more calls that follow `rules`. @throws StrategyError */
  textThenCalls(rules: CallRules, marker: WriteMarker): Strategy;
  /** The language of texts in which no call begins. */
  text(marker: WriteMarker): Strategy;
}
