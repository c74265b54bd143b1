/** A flow: questions with branches between them, asked one after another. The reader of the answer need not see them. */
import { describeValue } from "../../base/show.ts";
import type { ActionFor } from "../action.ts";
import type { ActionsFor } from "../actions.ts";
import type { ModEvent } from "../event.ts";
import type { Mod } from "../mod.ts";
import { createRequestStore } from "../request-scope.ts";
import type { Tokenizer } from "../tokenizer.ts";
import type { Question, Target } from "./flow-graph.ts";
import { FlowRun } from "./flow-run.ts";
import { isQuestion, questionPartsOf } from "./question-parts.ts";
import { whyFormatForbidsQuestion } from "./refuse-opening.ts";
import { drive, driveAsync, modThatAsks, prepareFirstMask } from "./self-prompt.ts";
import { checkOptionNames } from "./self-prompt-plan.ts";
import type { FlowState } from "./state.ts";

export interface FlowOptions<Data> {
  /** The first question. */
  readonly entry: Question<Data>;
  /** Returns the initial `state.data` of a request; by default an empty object. */
  readonly state?: () => NoInfer<Data>;
  /** The text of `summary()`. */
  readonly summary?: (state: FlowState<NoInfer<Data>>) => string;
}

/** A flow: made by `flow(...)`. Every request has its own state. */
export interface Flow<Data = Record<string, unknown>> {
  /** Runs the flow: pass it the mod's events and return its result. Undefined if there is nothing to do or the flow has ended. */
  handle<Event extends ModEvent>(
    event: Event,
    actions: ActionsFor<Event["type"]>,
    tokenizer: Tokenizer,
  ): ActionFor<Event["type"]> | undefined;
  /** Like `handle`, for flows that have questions with `scores: true`: it waits until the model has computed the probabilities. */
  handleAsync<Event extends ModEvent>(
    event: Event,
    actions: ActionsFor<Event["type"]>,
    tokenizer: Tokenizer,
  ): Promise<ActionFor<Event["type"]> | undefined>;
  /** The flow's state in a request; by default, in the request whose event is being handled. */
  state(requestId?: string): FlowState<Data>;
  /** True once the flow has ended and changes nothing more. */
  isDone(requestId?: string): boolean;
  /** Returns a mod that runs the flow and does nothing else. */
  asMod(options?: { readonly name?: string }): Mod;
}

/**
 * Makes a flow of questions that begins with `entry`.
 *
 * @example
 * const size = question({ name: "size", prompt: "Size: ", responses: ["small", "large"], erase: "all" });
 * size.then((state) => `One ${state.answers.size} pizza. `);
 * export default flow({ entry: size }).asMod();
 *
 * @throws TypeError for two questions with the same name, and for an option that is unknown or of the wrong kind.
 */
export function flow<Data = Record<string, unknown>>(options: FlowOptions<Data>): Flow<Data> {
  checkOptionNames("flow(...)", options, ["entry", "state", "summary"]);
  const { entry, state = () => ({}) as Data, summary } = options;
  if (!isQuestion(entry)) {
    throw new TypeError(`flow(...): "entry" is ${describeValue(entry)}: give the first question.`);
  }
  for (const [name, value] of Object.entries({ state, summary })) {
    if (value === undefined || typeof value === "function") continue;
    throw new TypeError(`flow(...): "${name}" is ${describeValue(value)}: give a function.`);
  }
  const questions = reachable(entry);
  const run = createRequestStore(
    () => new FlowRun<Data>({ entry, questions, data: state(), summary }),
    "A flow",
  );

  const driverFor = (event: ModEvent, tokenizer: Tokenizer) => {
    if (event.type === "prefilled") {
      for (const known of questions.values()) prepareFirstMask(questionPartsOf(known).asks, tokenizer);
    }
    return run.of(event.requestId).driver;
  };

  const made: Flow<Data> = Object.freeze({
    handle: (event, actions, tokenizer) => drive(driverFor(event, tokenizer), event, actions, tokenizer),
    handleAsync: (event, actions, tokenizer) =>
      driveAsync(driverFor(event, tokenizer), event, actions, tokenizer),
    state: (requestId) => run.of(requestId).state,
    isDone: (requestId) => run.of(requestId).driver.isClosed,
    asMod(options = {}) {
      checkOptionNames("asMod(...)", options, ["name"]);
      const { name = "flow" } = options;
      return modThatAsks(name, made, (event, tokenizer) => {
        const { asks, autoAnswer } = questionPartsOf(entry);
        // A question with an `autoAnswer` may never be asked, so its opening is not checked.
        if (autoAnswer) return null;
        return whyFormatForbidsQuestion(
          `The flow's question ${describeValue(entry.name)}`,
          asks,
          event,
          tokenizer,
        );
      });
    },
  } satisfies Flow<Data>);
  return made;
}

/**
 * The questions that `entry` leads to without calling an author's function, by name. @throws TypeError if two have the same
 * name.
 */
function reachable<Data>(entry: Question<Data>): ReadonlyMap<string, Question<Data>> {
  const found = new Map<string, Question<Data>>();
  const waiting: (Target<Data> | undefined)[] = [entry];
  while (waiting.length > 0) {
    const target = waiting.pop();
    if (!isQuestion(target) || found.get(target.name) === target) continue;
    if (found.has(target.name)) {
      throw new TypeError(
        `Two questions of the flow are called ${describeValue(target.name)}: give each question a different name.`,
      );
    }
    found.set(target.name, target);
    const { transitions, fallback, retry } = questionPartsOf<Data>(target);
    waiting.push(...transitions.values(), fallback, retry?.otherwise);
  }
  return found;
}
