/** Checks the arguments of `event.score`, and converts them to tokens. */
import { describeValue } from "../base/show.ts";
import type { TokenId } from "./request.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Log-probabilities of continuations, in their order. */
export type ScoreContinuations = (
  continuations: readonly (readonly TokenId[])[],
) => Promise<readonly number[]>;

/** The limits of `event.score`. The runner refuses calls beyond them; the engine stops a guest that sends such calls anyway. */
export const scoreLimits = {
  /** Continuations of one call. */
  continuations: 64,
  /** Tokens of one continuation. */
  tokens: 256,
  /** Calls at one event. */
  calls: 16,
} as const;

/** Makes `event.score` from the function that asks the engine; null if the event is not connected to an engine. */
export function createScoreFunction(
  ask: ScoreContinuations | null,
  tokenizer: Tokenizer,
): (continuations: readonly (string | readonly TokenId[])[]) => Promise<readonly number[]> {
  let calls = 0;
  return async (continuations) => {
    if (!Array.isArray(continuations) || continuations.length === 0)
      throw new TypeError(
        `score(${describeValue(continuations)}): give a list of strings or of token lists.`,
      );
    if (continuations.length > scoreLimits.continuations)
      throw new RangeError(
        `score(…) was given ${continuations.length} continuations: at most ${scoreLimits.continuations} are scored in one call.`,
      );
    const tokens = continuations.map((each, place) => tokensOf(each, place, tokenizer));
    if (ask === null)
      throw new Error(
        "score(…) works only while Midtoken runs the mod, not when you call the handler yourself.",
      );
    calls += 1;
    if (calls > scoreLimits.calls)
      throw new RangeError(
        `score(…) was called ${calls} times at one event: at most ${scoreLimits.calls} calls are allowed.`,
      );
    return Object.freeze([...(await ask(tokens))]);
  };
}

function tokensOf(value: unknown, place: number, tokenizer: Tokenizer): readonly TokenId[] {
  const what = `score(…): continuation ${place}`;
  if (typeof value !== "string" && !Array.isArray(value))
    throw new TypeError(`${what} is ${describeValue(value)}: give a string or a list of tokens.`);
  const tokens: readonly unknown[] = typeof value === "string" ? tokenizer.encode(value) : value;
  if (tokens.length === 0) throw new RangeError(`${what} is empty: give at least one token.`);
  if (tokens.length > scoreLimits.tokens)
    throw new RangeError(`${what} has ${tokens.length} tokens: at most ${scoreLimits.tokens} are scored.`);
  return tokens.map((token) => {
    if (typeof token === "number" && Number.isInteger(token) && token >= 0 && token < tokenizer.vocabSize)
      return token + 0;
    throw new RangeError(
      `${what} has the token ${describeValue(token)}: give whole numbers below ${tokenizer.vocabSize}.`,
    );
  });
}
