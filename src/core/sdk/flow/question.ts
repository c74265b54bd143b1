/** A question of a flow, and where its answers lead. */
import { describeValue } from "../../base/show.ts";
import type { Strategy } from "../../masks/strategy.ts";
import type { TokensOrText } from "../arguments.ts";
import type { Question, RetryOptions } from "./flow-graph.ts";
import { type QuestionParts, setQuestionParts, transitionKeyOf } from "./question-parts.ts";
import { checkAskOptions, checkOptionNames, type EraseMode, strategyOfChoices } from "./self-prompt-plan.ts";
import { checkTarget } from "./target.ts";

export interface QuestionOptions {
  /** The answers are stored under this name, which no other question of the flow may have. */
  readonly name: string;
  /** Text or tokens before the answer, or a function that returns them when the question is asked. */
  readonly prompt?: TokensOrText | (() => TokensOrText);
  /** The strategy that limits the answer; alternatively give `responses`. */
  readonly strategy?: Strategy;
  /** Short for `strategy: choices(responses)`. */
  readonly responses?: readonly string[];
  /** Text after the answer, for example "\n"; by default, there is none. */
  readonly completion?: string;
  /** The part that is removed when the answer is complete: `"none"` (the default), `"prompt"` (all but the answer) or `"all"`. */
  readonly erase?: EraseMode;
  /** The temperature of the answer's tokens only; 0 takes the most likely token. */
  readonly temperature?: number;
  /** false turns off token healing of prompt and completion. */
  readonly heal?: boolean;
  /**
   * true stores the model's probability of every option in `state.scores`, by the question's name. Only with `responses` or
   * `choices`, and only if the flow runs by `asMod()` or `handleAsync`.
   */
  readonly scores?: boolean;
}

const optionNames = [
  "name",
  "prompt",
  "strategy",
  "responses",
  "completion",
  "erase",
  "temperature",
  "heal",
  "scores",
] as const satisfies readonly (keyof QuestionOptions)[];

/**
 * A question of a flow.
 *
 * @example
 * const mood = question({ name: "mood", prompt: "Mood: ", responses: ["good", "bad"], erase: "all" })
 *   .on("bad", "I am sorry to hear that. ")
 *   .then(end());
 *
 * @throws TypeError for an option that is unknown, missing or of the wrong kind.
 */
export function question<Data = Record<string, unknown>>(options: QuestionOptions): Question<Data> {
  checkOptionNames("question(...)", options, optionNames);
  const { name, responses, strategy, ...rest } = options;
  if (typeof name !== "string" || name === "") {
    throw new TypeError(
      `question(...): "name" is ${describeValue(name)}: give a string. The answers are stored under this name.`,
    );
  }
  const what = `question(${JSON.stringify(name)})`;
  if ((strategy === undefined) === (responses === undefined)) {
    throw new TypeError(`${what}: give either "strategy" or "responses", a list of texts.`);
  }
  const asks = { ...rest, strategy: strategy ?? strategyOfChoices(responses ?? []) };
  checkAskOptions(what, asks);
  const parts: QuestionParts<Data> = {
    asks,
    transitions: new Map(),
    fallback: undefined,
    assignments: [],
    branches: [],
    autoAnswer: undefined,
    retry: undefined,
  };
  return create(name, what, parts);
}

function create<Data>(name: string, what: string, parts: QuestionParts<Data>): Question<Data> {
  const checked = <Given>(method: string, given: Given): Given => {
    if (typeof given === "function") return given;
    throw new TypeError(`${what}.${method}(...) was given ${describeValue(given)}: give a function.`);
  };
  const made: Question<Data> = {
    name,
    on(answer, target) {
      if (typeof answer !== "string") {
        throw new TypeError(`${what}.on(...) was given the answer ${describeValue(answer)}: give a string.`);
      }
      checkTarget(`${what}.on(${describeValue(answer)}, ...)`, target);
      parts.transitions.set(transitionKeyOf(answer), target);
      return made;
    },
    // biome-ignore lint/suspicious/noThenProperty: `then` is the usual word, and awaiting a question throws an error.
    then(target, ...others: readonly unknown[]) {
      if (others.length > 0) {
        throw new TypeError(
          `The question ${describeValue(name)} was awaited, or returned by an async function: write the flow's functions without async and await.`,
        );
      }
      checkTarget(`${what}.then(...)`, target);
      parts.fallback = target;
      return made;
    },
    otherwise: (target) => made.then(target),
    assign(assignment) {
      parts.assignments.push(checked("assign", assignment));
      return made;
    },
    branch(branch) {
      parts.branches.push(checked("branch", branch));
      return made;
    },
    autoAnswer(autoAnswer) {
      parts.autoAnswer = checked("autoAnswer", autoAnswer);
      return made;
    },
    retry(options) {
      parts.retry = checkRetry(`${what}.retry(...)`, options);
      return made;
    },
  };
  setQuestionParts(made, parts);
  return Object.freeze(made);
}

function checkRetry<Data>(what: string, options: RetryOptions<Data>): RetryOptions<Data> {
  checkOptionNames(what, options, ["times", "valid", "otherwise"]);
  const { times, valid, otherwise } = options;
  if (!Number.isInteger(times) || times < 1) {
    throw new TypeError(`${what}: "times" is ${describeValue(times)}: give a whole number of at least 1.`);
  }
  if (typeof valid !== "function") {
    throw new TypeError(
      `${what}: "valid" is ${describeValue(valid)}: give a function that takes the answer.`,
    );
  }
  if (otherwise !== undefined) checkTarget(`${what}: "otherwise"`, otherwise);
  return { ...options };
}
