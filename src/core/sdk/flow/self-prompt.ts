/**
 * A hidden question to the model in the middle of its text. `selfPrompt` makes the question, whose `handle` a mod calls with
 * its events; `selfPromptMod` is a whole mod around one question. The mechanism is in `self-prompt-driver.ts`.
 *
 * Example: prompt " Mood (good/bad): " (18 tokens of one letter), `choices(["good", "bad"])`, `erase: "all"`.
 *   event                      `handle` returns                         text afterwards            `answer()`
 *   forwardPass                forceTokens " Mood (good/bad): "         " Mood (good/bad): "       null
 *   forwardPass                a mask that allows "b" and "g"           " Mood (good/bad): b"      null
 *   added "b"                  forceTokens "ad", the only way on        " Mood (good/bad): bad"    null
 *   added "ad"                 backtrack 21                             ""                         "bad"
 *   every later event          undefined                                                           "bad"
 *
 * Rules: each request asks the question once, until `reset`. `handle` must get every `forwardPass` and `added` event until the
 * answer is complete; otherwise it throws, for example "… missed 2 tokens". A question with `scores` needs `handleAsync`.
 * `replaceStrategy` starts an incomplete answer again; after the answer, the new strategy counts from the next `reset` on.
 * While another mod's hidden question is open, this question waits.
 */
import { describeValue } from "../../base/show.ts";
import { constraintOf } from "../../masks/masks/constraint.ts";
import { isStrategy, type Strategy } from "../../masks/strategy.ts";
import type { ActionFor } from "../action.ts";
import type { ActionsFor, AllActions } from "../actions.ts";
import type { ModEvent, PrefilledEvent } from "../event.ts";
import { type Mod, mod } from "../mod.ts";
import { createRequestStore } from "../request-scope.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { ScoreRequest } from "./next-step.ts";
import type { OptionScore } from "./option-scores.ts";
import { whyFormatForbidsQuestion } from "./refuse-opening.ts";
import { SelfPromptDriver } from "./self-prompt-driver.ts";
import {
  type AskOptions,
  checkAskOptions,
  checkOptionNames,
  checkScorable,
  selfPromptPlanOf,
  strategyOfChoices,
} from "./self-prompt-plan.ts";

export interface SelfPromptOptions extends AskOptions {}

/** A question that a mod asks inside a request; every request has its own. Made by `selfPrompt`. */
export interface SelfPrompt {
  /**
   * Asks the question: pass it the mod's events and return its result. It begins at the first `forwardPass` or `added` event,
   * and needs at least all events of these two types until the answer is complete. Returns undefined if there is nothing to
   * do, and after the answer.
   * @throws Error if another mod makes the answer impossible.
   */
  handle<Event extends ModEvent>(
    event: Event,
    actions: ActionsFor<Event["type"]>,
    tokenizer: Tokenizer,
  ): ActionFor<Event["type"]> | undefined;
  /**
   * The answer in a request, without stop sequence and surrounding white space; null until it is complete. By default, the request
   * is the one whose event is being handled.
   */
  answer(requestId?: string): string | null;
  /** Like `handle`, for questions with `scores: true`: it waits until the model has computed the probabilities. */
  handleAsync<Event extends ModEvent>(
    event: Event,
    actions: ActionsFor<Event["type"]>,
    tokenizer: Tokenizer,
  ): Promise<ActionFor<Event["type"]> | undefined>;
  /** The probability of every option, with `scores: true`; null until the model has computed them. */
  scores(requestId?: string): readonly OptionScore[] | null;
  /** Lets the question be asked again in this request. An incomplete answer is removed and started again. */
  reset(requestId?: string): void;
  /** Sets another strategy, for this request only. An incomplete answer is started again. */
  replaceStrategy(strategy: Strategy, requestId?: string): void;
  /** Sets other choices, for this request only: `replaceStrategy(choices(texts))`. @throws StrategyError */
  replaceChoices(texts: readonly string[], requestId?: string): void;
}

interface Asked {
  readonly driver: SelfPromptDriver;
  strategy: Strategy;
  answer: string | null;
  scores: readonly OptionScore[] | null;
}

const optionNames = [
  "prompt",
  "strategy",
  "completion",
  "erase",
  "temperature",
  "heal",
  "scores",
] as const satisfies readonly (keyof SelfPromptOptions)[];

/**
 * A hidden question: forces `prompt`, lets the model answer as `strategy` allows, forces `completion`, then erases.
 *
 * @example
 * const mood = selfPrompt({ prompt: " Mood (good/bad): ", strategy: choices(["good", "bad"]), erase: "all" });
 * export default mod((event, actions, tokenizer) => mood.handle(event, actions, tokenizer));
 *
 * @throws TypeError for an option that is unknown or of the wrong kind.
 */
export function selfPrompt(options: SelfPromptOptions): SelfPrompt {
  checkOptionNames("selfPrompt(...)", options, optionNames);
  checkAskOptions("selfPrompt(...)", options);
  const name = nameOf(options);

  const store = createRequestStore<Asked>(() => {
    const asked: Asked = {
      strategy: options.strategy,
      answer: null,
      scores: null,
      driver: new SelfPromptDriver({
        name,
        first: (tokenizer) => ({
          ask: selfPromptPlanOf({ ...options, strategy: asked.strategy }, tokenizer),
        }),
        answered: (answer) => {
          asked.answer = answer;
          return {};
        },
        scored: (scores) => {
          asked.scores = scores;
        },
      }),
    };
    return asked;
  }, "A self-prompt");

  const replaceStrategy = (strategy: Strategy, requestId?: string): void => {
    if (!isStrategy(strategy)) {
      throw new TypeError(
        `replaceStrategy(...) was given ${describeValue(strategy)}: use choices([…]) or another strategy.`,
      );
    }
    if (options.scores) checkScorable("replaceStrategy(...)", strategy);
    const asked = store.of(requestId);
    asked.strategy = strategy;
    if (asked.answer === null) asked.driver.restart();
  };

  return Object.freeze({
    handle(event, actions, tokenizer) {
      const asked = store.of(event.requestId);
      if (event.type === "prefilled") prepareFirstMask({ ...options, strategy: asked.strategy }, tokenizer);
      return drive(asked.driver, event, actions, tokenizer);
    },
    handleAsync(event, actions, tokenizer) {
      const asked = store.of(event.requestId);
      if (event.type === "prefilled") prepareFirstMask({ ...options, strategy: asked.strategy }, tokenizer);
      return driveAsync(asked.driver, event, actions, tokenizer);
    },
    scores: (requestId) => store.find(requestId)?.scores ?? null,
    answer: (requestId) => store.find(requestId)?.answer ?? null,
    reset(requestId) {
      const asked = store.of(requestId);
      asked.answer = null;
      asked.scores = null;
      asked.driver.restart();
    },
    replaceStrategy,
    replaceChoices: (texts, requestId) => replaceStrategy(strategyOfChoices(texts), requestId),
  } satisfies SelfPrompt);
}

/** A mod that asks one hidden question at the beginning of the output, and then does nothing more. */
export function selfPromptMod(options: SelfPromptOptions & { readonly name?: string }): Mod {
  checkOptionNames("selfPromptMod(...)", options, ["name", ...optionNames]);
  const { name = "self-prompt", ...rest } = options;
  const question = selfPrompt(rest);
  return modThatAsks(name, question, (event, tokenizer) =>
    whyFormatForbidsQuestion(nameOf(rest), rest, event, tokenizer),
  );
}

/** The name of a question in errors. */
function nameOf({ prompt }: AskOptions): string {
  return typeof prompt === "string" ? `The self-prompt ${describeValue(prompt)}` : "The self-prompt";
}

/**
 * A mod that asks a question at the beginning of the output.
 * @param whyNot returns why the request must be refused before anything is computed; null if it need not be
 */
export function modThatAsks(
  name: string,
  asked: Pick<SelfPrompt, "handleAsync">,
  whyNot: (event: PrefilledEvent, tokenizer: Tokenizer) => string | null,
): Mod {
  return mod(
    (event, actions, tokenizer) => {
      const reason = event.type === "prefilled" ? whyNot(event, tokenizer) : null;
      return reason === null ? asked.handleAsync(event, actions, tokenizer) : actions.error(reason);
    },
    { name, topK: 0 },
  );
}

/** The driver's action, typed as one that the event allows. */
export function drive<Event extends ModEvent>(
  driver: SelfPromptDriver,
  event: Event,
  actions: ActionsFor<Event["type"]>,
  tokenizer: Tokenizer,
): ActionFor<Event["type"]> | undefined {
  // All builders exist at every event. The driver uses only those that the event allows; the others throw.
  const action = driver.handle(event, actions as unknown as AllActions, tokenizer);
  if (action instanceof ScoreRequest) {
    throw new Error(
      "A question has scores: true, and handle(...) cannot wait for the model: write `await ….handleAsync(event, actions, tokenizer)`, or use the question as a whole mod.",
    );
  }
  return (action ?? undefined) as ActionFor<Event["type"]> | undefined;
}

/** Like `drive`, but waits for the probabilities of a question's options. */
export async function driveAsync<Event extends ModEvent>(
  driver: SelfPromptDriver,
  event: Event,
  actions: ActionsFor<Event["type"]>,
  tokenizer: Tokenizer,
): Promise<ActionFor<Event["type"]> | undefined> {
  let action = driver.handle(event, actions as unknown as AllActions, tokenizer);
  if (action instanceof ScoreRequest && event.type === "forwardPass") {
    action = action.resume(await event.score(action.continuations));
  }
  return (action ?? undefined) as ActionFor<Event["type"]> | undefined;
}

/** Computes the first mask, which also builds the vocabulary's tree. Call it at `prefilled`, where mods have more time. */
export function prepareFirstMask(options: AskOptions, tokenizer: Tokenizer): void {
  // A function returns the prompt only when the question is asked.
  if (typeof options.prompt === "function") constraintOf(options.strategy, tokenizer).start.mask();
  else selfPromptPlanOf(options, tokenizer).start.mask();
}
