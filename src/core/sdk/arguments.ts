/** Checks the arguments that an author passes to the action builders, and converts them to plain data. */
import { formatNameSuggestion, unknownKey } from "../base/known-keys.ts";
import { isRecord } from "../base/record.ts";
import { describeValue, isList } from "../base/show.ts";
import { isTemperature, temperatureAdvice } from "../base/temperature.ts";
import { type ActionType, InvalidActionError, type SparseLogitsEdit, type Steering } from "./action.ts";
import type { EventType } from "./event.ts";
import { type CheckedPrompt, createPromptCheck, type PrefilledPrompt } from "./prompt-argument.ts";
import type { TokenId, ToolCall } from "./request.ts";
import { firstTokensOfEncodings, tokensThatCompleteText } from "./text-tokens.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { toolCallKeyProblem } from "./tool-call-keys.ts";
import { createVectorChecks, type VectorCheckContext } from "./vector-arguments.ts";

/** Tokens, or text that the builders encode without special tokens. */
export type TokensOrText = string | ArrayLike<TokenId>;

/** A tool call as an author may write it: in a short form or in OpenAI's form. Arguments given as an object become JSON text; the engine fills in a missing id. */
export type ToolCallInput =
  | { readonly id?: string; readonly name: string; readonly arguments?: string | object }
  | {
      readonly id?: string;
      readonly type?: "function";
      readonly function: { readonly name: string; readonly arguments?: string | object };
    };

/** An edit of one step's logits as an author may write it, with texts in place of tokens (see `text-tokens.ts`). */
export interface LogitsEditInput extends Omit<SparseLogitsEdit, "ban" | "add"> {
  /** Tokens; or texts that must not appear in the output: every token that would complete such a text is banned. */
  readonly ban?: string | readonly (TokenId | string)[];
  /** Amounts by token, or by text: a text means the tokens with which it begins, with and without a space before it. */
  readonly add?: Readonly<Record<TokenId | string, number>>;
}

/** The context in which an action is built: everything that the checks of its arguments need. */
export interface ActionBuilderContext {
  readonly event: EventType;
  readonly step: number;
  readonly tokenizer: Tokenizer;
  /** The tokens of the output, hidden tokens included; absent if unknown. */
  readonly output?: () => readonly TokenId[];
  /** Absent if the mod declared no layers. */
  readonly activations?: VectorCheckContext | null;
  /** The prompt of `prefilled`; absent at other events. */
  readonly prompt?: PrefilledPrompt;
}

/** Each function checks a value and returns its plain form, or throws InvalidActionError. */
export interface ArgumentChecks {
  refuse(reason: string): never;
  tokens(value: unknown): readonly TokenId[];
  /** The new prompt; null if no message has the phrase of `replace`. */
  prompt(value: unknown): CheckedPrompt | null;
  /** Like `tokens`, but refuses an empty list. `instead` tells the author what to do in that case. */
  someTokens(value: unknown, instead: string): readonly TokenId[];
  count(value: unknown, where: string, least: number): number;
  temperature(value: unknown): number;
  flag(value: unknown, where: string): boolean;
  logits(value: unknown): Float32Array | SparseLogitsEdit;
  options(value: unknown, names: readonly string[]): Record<string, unknown>;
  toolCall(value: unknown, index: number): ToolCall;
  steerings(value: unknown): readonly Steering[];
  patch(value: unknown): { readonly layer: number; readonly vector: Float32Array };
}

/** The checks for the arguments of one action; every error names the action and the event. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table with one check for each kind of argument
export function argumentChecksFor(action: ActionType, context: ActionBuilderContext): ArgumentChecks {
  const { vocabSize } = context.tokenizer;

  function refuse(reason: string): never {
    throw new InvalidActionError(action, context.event, reason);
  }

  function token(value: unknown, where: string): TokenId {
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < vocabSize) return value;
    return refuse(
      `${where} is ${describeValue(value)}, which is not a token: give whole numbers from 0 to ${vocabSize - 1}, for example from tokenizer.encode(text).`,
    );
  }

  function tokenList(value: unknown, where: string): readonly TokenId[] {
    if (!isList(value)) return refuse(`${where} is ${describeValue(value)}: give a list of tokens.`);
    return Object.freeze(Array.from(value, (entry, index) => token(entry, `${where}[${index}]`)));
  }

  function tokens(value: unknown): readonly TokenId[] {
    if (typeof value === "string") return tokenList(context.tokenizer.encode(value), "the encoded text");
    if (!isList(value))
      return refuse(`the tokens are ${describeValue(value)}: give a list of tokens or a text.`);
    return tokenList(value, "tokens");
  }

  function someTokens(value: unknown, instead: string): readonly TokenId[] {
    const list = tokens(value);
    return list.length > 0 ? list : refuse(`there are no tokens in ${describeValue(value)}: ${instead}`);
  }

  function count(value: unknown, where: string, least: number): number {
    if (typeof value === "number" && Number.isInteger(value) && value >= least) return value;
    return refuse(`${where} is ${describeValue(value)}: give a whole number of at least ${least}.`);
  }

  function temperature(value: unknown): number {
    if (isTemperature(value)) return value;
    return refuse(`temperature is ${describeValue(value)}: ${temperatureAdvice}.`);
  }

  function flag(value: unknown, where: string): boolean {
    return typeof value === "boolean"
      ? value
      : refuse(`${where} is ${describeValue(value)}: give true or false.`);
  }

  function addend(value: unknown, id: string): number {
    if (typeof value === "number" && value < Number.POSITIVE_INFINITY) return value;
    return refuse(
      `add[${id}] is ${describeValue(value)}: give a finite number, or -Infinity to ban the token.`,
    );
  }

  /** Checks a mask and returns it without a copy. Bits of the last word beyond the end of the vocabulary are ignored. */
  function mask(value: unknown): Uint32Array {
    const words = Math.ceil(vocabSize / 32);
    if (!(value instanceof Uint32Array)) {
      return refuse(
        `mask is ${describeValue(value)}: give a Uint32Array of length ${words}, such as the one that a state's mask() returns.`,
      );
    }
    if (value.length !== words) {
      refuse(
        `the mask is a Uint32Array of length ${value.length}, but the vocabulary has ${vocabSize} tokens: give length ${words}, with one bit for each token.`,
      );
    }
    const rest = vocabSize % 32;
    const last = rest === 0 ? -1 : (1 << rest) - 1;
    const keepsAny = value.some((word, index) => (index < words - 1 ? word : word & last) !== 0);
    return keepsAny ? value : refuse("the mask allows no token: set at least one bit.");
  }

  function banned(value: unknown): readonly TokenId[] {
    const list = typeof value === "string" ? [value] : value;
    if (!isList(list))
      return refuse(`ban is ${describeValue(value)}: give a list of tokens and texts, or a text.`);
    const output = context.output?.() ?? [];
    const found = Array.from(list, (entry, index) => {
      if (typeof entry !== "string") return [token(entry, `ban[${index}]`)];
      if (entry === "") return refuse('"ban" has an empty text, which every output contains: leave it out.');
      return tokensThatCompleteText(entry, output, context.tokenizer);
    });
    return Object.freeze(found.flat());
  }

  /** A numeric key is a token id, any other key a text. */
  function added([key, value]: [string, unknown]): [TokenId, number][] {
    const amount = addend(value, key);
    if (key.trim() === "" || Number.isNaN(Number(key))) {
      if (key === "") return refuse("add has an empty text: name a token or a text.");
      return firstTokensOfEncodings(key, context.tokenizer).map((each) => [each, amount]);
    }
    return [[token(Number(key), `the key ${describeValue(key)} of add`), amount]];
  }

  function sparse(edit: Record<string, unknown>): SparseLogitsEdit {
    knownNames(edit, ["mask", "ban", "only", "add"], "a logits edit");
    const { ban, only, add } = edit;
    if (isList(only) && only.length === 0)
      refuse('"only" is empty, so no token would be left: name at least one token.');
    if (add !== undefined && !isRecord(add))
      refuse(`add is ${describeValue(add)}: give { [token]: amount }.`);
    return Object.freeze({
      ...(edit.mask !== undefined && { mask: mask(edit.mask) }),
      ...(ban !== undefined && { ban: banned(ban) }),
      ...(only !== undefined && { only: tokenList(only, "only") }),
      ...(add !== undefined && {
        add: Object.freeze(Object.fromEntries(Object.entries(add).flatMap(added))),
      }),
    });
  }

  function logits(value: unknown): Float32Array | SparseLogitsEdit {
    if (isList(value)) {
      if (value.length !== vocabSize) {
        refuse(
          `the logits have ${value.length} entries, but the vocabulary has ${vocabSize}: give one for each.`,
        );
      }
      return value instanceof Float32Array ? value : Float32Array.from(value as ArrayLike<number>);
    }
    if (isRecord(value)) return sparse(value);
    return refuse(
      `the logits are ${describeValue(value)}: give a list of all logits, or an edit { mask, ban, only, add }; give {} if only the temperature changes.`,
    );
  }

  function knownNames(value: Record<string, unknown>, names: readonly string[], what: string): void {
    const unknown = unknownKey(value, names);
    if (unknown !== undefined) refuse(`${what} has no "${unknown}". ${formatNameSuggestion(unknown, names)}`);
  }

  function options(value: unknown, names: readonly string[]): Record<string, unknown> {
    if (value === undefined) return {};
    if (!isRecord(value))
      return refuse(`the options are ${describeValue(value)}: give { ${names.join(", ")} }.`);
    knownNames(value, names, "the options");
    return value;
  }

  function toolCall(value: unknown, index: number): ToolCall {
    const call = isRecord(value)
      ? value
      : refuse(`call ${index} is ${describeValue(value)}: give { name, arguments }.`);
    // Each field is read once: a getter may answer differently the second time.
    const { id = "", function: inner } = call;
    const problem = toolCallKeyProblem(call, inner, index);
    if (problem !== null) refuse(problem);
    const { name, arguments: given } = isRecord(inner) ? inner : call;
    if (typeof name !== "string" || name === "") {
      return refuse(`call ${index} names no function: give { name: "search", arguments: { … } }.`);
    }
    if (typeof id !== "string") {
      return refuse(`the id of call ${index} is ${describeValue(id)}: give a string, or leave it out.`);
    }
    return Object.freeze({
      id,
      type: "function",
      function: Object.freeze({ name, arguments: argumentsText(given, index) }),
    });
  }

  function argumentsText(value: unknown, index: number): string {
    if (value === undefined) return "{}";
    if (typeof value === "string") return value;
    try {
      const text = typeof value === "object" ? JSON.stringify(value) : undefined;
      if (text !== undefined) return text;
    } catch (error) {
      refuse(`the arguments of call ${index} cannot be converted to JSON (${(error as Error).message}).`);
    }
    return refuse(`the arguments of call ${index} are ${describeValue(value)}: give an object or JSON text.`);
  }

  const vectors = createVectorChecks(refuse, context.activations ?? null);
  const prompt = createPromptCheck({
    refuse,
    someTokens,
    tokenizer: context.tokenizer,
    current: context.prompt,
  });
  return {
    refuse,
    tokens,
    prompt,
    someTokens,
    count,
    temperature,
    flag,
    logits,
    options,
    toolCall,
    ...vectors,
  };
}
