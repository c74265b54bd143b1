/** One hidden question, ready to be asked: texts as tokens, the strategy bound to the vocabulary. */
import { formatNameSuggestion, unknownKey } from "../../base/known-keys.ts";
import { describeValue } from "../../base/show.ts";
import { isTemperature, temperatureAdvice } from "../../base/temperature.ts";
import type { ConstraintState } from "../../masks/masks/constraint.ts";
import { choices } from "../../masks/strategies/choices.ts";
import { isStrategy, type Strategy } from "../../masks/strategy.ts";
import type { TokensOrText } from "../arguments.ts";
import type { TokenId } from "../request.ts";
import { scoreLimits } from "../score-arguments.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { healPrompt, promptWithoutHealing } from "./heal-prompt.ts";

/**
 * The part of the text that is removed when the answer is complete. `"none"`: prompt, answer and completion stay.
 * `"prompt"`: the answer stays. `"all"`: everything is removed, and no completion is emitted.
 */
export type EraseMode = "none" | "prompt" | "all";

/** How a mod's author describes a question. */
export interface AskOptions {
  /** Text or tokens that are added before the answer, without sampling; or a function that returns them when the question is asked. By default, there is no prompt. */
  readonly prompt?: TokensOrText | (() => TokensOrText);
  /** The strategy that limits the answer. */
  readonly strategy: Strategy;
  /** Text that is added after the answer. */
  readonly completion?: string;
  /** The part that is removed when the answer is complete; `"none"` by default. */
  readonly erase?: EraseMode;
  /** The temperature of the answer's tokens only; 0 takes the most likely token. By default, the request's temperature. */
  readonly temperature?: number;
  /**
   * false turns off token healing: prompt and completion keep their tokens, even if they end within a word. Otherwise the
   * model chooses the last tokens of the prompt together with the answer, and the end of the completion is healed like that of
   * a forced text. The text is the same.
   */
  readonly heal?: boolean;
  /** true reads the model's probability of every option before the answer is chosen. The strategy must be `choices`. */
  readonly scores?: boolean;
}

/** The options of a question whose probabilities are read. */
export interface ScoredAnswerChoices {
  readonly texts: readonly string[];
  /** The continuation of the prompt for each option. */
  readonly continuations: readonly (readonly TokenId[])[];
}

export interface SelfPromptPlan {
  readonly prompt: readonly TokenId[];
  readonly completion: readonly TokenId[];
  readonly erase: EraseMode;
  readonly temperature: number | undefined;
  /** True if the end of the completion may be healed. */
  readonly heal: boolean;
  readonly strategy: Strategy;
  readonly start: ConstraintState;
  /**
   * True if the prompt or all of the question is removed once it is answered: until then, prompt and answer are hidden. If
   * nothing is removed, each token is visible as soon as it is written.
   */
  readonly isHidden: boolean;
  /** Null if no probabilities are read. */
  readonly scored: ScoredAnswerChoices | null;
}

/**
 * A question's texts and strategy, bound to a tokenizer. @throws ConstraintLimitError, RangeError for a prompt with a token
 * outside the vocabulary.
 */
export function selfPromptPlanOf(options: AskOptions, tokenizer: Tokenizer): SelfPromptPlan {
  const { completion = "", erase = "none", temperature, heal = true, scores = false } = options;
  const prompt = promptOf(options);
  const tokens = typeof prompt === "string" ? tokenizer.encode(prompt) : Array.from(prompt);
  const stranger = tokens.find((token) => token >= tokenizer.vocabSize);
  if (stranger !== undefined) {
    throw new RangeError(
      `The prompt's token ${stranger} is not in the vocabulary, which has ${tokenizer.vocabSize} tokens: give smaller ids, or a text.`,
    );
  }
  const isHealed = heal && typeof prompt === "string";
  const asked = (isHealed ? healPrompt : promptWithoutHealing)(tokens, options.strategy, tokenizer);
  const scored = scores ? scoredOptions(options.strategy, asked.beginning, tokenizer) : null;
  const isHidden = erase === "all" || (erase === "prompt" && tokens.length > 0);
  return { ...asked, completion: tokenizer.encode(completion), erase, temperature, heal, isHidden, scored };
}

function scoredOptions(
  { texts = [] }: Strategy,
  beginning: string,
  tokenizer: Tokenizer,
): ScoredAnswerChoices {
  return { texts, continuations: texts.map((text) => tokenizer.encode(beginning + text)) };
}

function promptOf({ prompt = "" }: AskOptions): TokensOrText {
  if (typeof prompt !== "function") return prompt;
  const made: unknown = prompt();
  if (typeof made === "string" || isTokenList(made)) return made;
  throw new TypeError(
    `The function "prompt" returned ${describeValue(made)}: return a string or a list of tokens.`,
  );
}

const eraseModes: readonly unknown[] = ["none", "prompt", "all"] satisfies readonly EraseMode[];

/** Checks the options that an author wrote. `what` is the beginning of every error's message. @throws TypeError */
export function checkAskOptions(what: string, options: AskOptions): void {
  const { prompt, strategy, completion, erase, temperature, heal, scores } = options;
  const refuse = (name: string, value: unknown, advice: string): never => {
    throw new TypeError(`${what}: "${name}" is ${describeValue(value)}: ${advice}.`);
  };
  if (
    prompt !== undefined &&
    typeof prompt !== "string" &&
    typeof prompt !== "function" &&
    !isTokenList(prompt)
  ) {
    refuse(
      "prompt",
      prompt,
      "give a string, a list of tokens such as tokenizer.encode returns, or a function that returns one of these",
    );
  }
  if (!isStrategy(strategy)) {
    refuse("strategy", strategy, 'use choices([…]) or another function of "midtoken/strategies"');
  }
  if (completion !== undefined && typeof completion !== "string") {
    refuse("completion", completion, "give a string, which is added after the answer");
  }
  if (erase !== undefined && !eraseModes.includes(erase)) {
    refuse("erase", erase, 'give "none", "prompt" or "all"');
  }
  if (heal !== undefined && typeof heal !== "boolean") refuse("heal", heal, "give true or false");
  if (scores !== undefined && typeof scores !== "boolean") refuse("scores", scores, "give true or false");
  if (scores) checkScorable(what, strategy);
  if (temperature !== undefined && !isTemperature(temperature))
    refuse("temperature", temperature, temperatureAdvice);
}

/** @throws TypeError for a strategy whose answers cannot be scored. */
export function checkScorable(what: string, { kind, texts }: Strategy): void {
  if (texts === undefined) {
    throw new TypeError(
      `${what}: "scores" needs a list of texts, but the strategy is ${kind}: use choices([…]).`,
    );
  }
  if (texts.length > scoreLimits.continuations) {
    throw new TypeError(
      `${what}: "scores" was given ${texts.length} texts: at most ${scoreLimits.continuations} are scored.`,
    );
  }
}

/** @throws TypeError for an unknown name: a misspelt option would otherwise be ignored. */
export function checkOptionNames(what: string, value: unknown, names: readonly string[]): void {
  if (typeof value !== "object" || value === null) {
    throw new TypeError(`${what} was given ${describeValue(value)}: give { ${names.join(", ")} }.`);
  }
  const unknown = unknownKey(value, names);
  if (unknown !== undefined) {
    throw new TypeError(`${what} has no option "${unknown}". ${formatNameSuggestion(unknown, names)}`);
  }
}

/** The strategy that allows exactly one of the texts. @throws StrategyError */
export function strategyOfChoices(texts: readonly string[]): Strategy {
  return choices(texts);
}

function isTokenList(value: unknown): value is ArrayLike<TokenId> {
  const isList = Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
  if (!isList) return false;
  return Array.from(value as unknown as ArrayLike<unknown>).every(
    (token) => typeof token === "number" && Number.isInteger(token) && token >= 0,
  );
}
