/** A flow in one request: the open question, the answers so far, and the next place in the flow. */
import { describeValue } from "../../base/show.ts";
import type { ToolCallInput } from "../arguments.ts";
import type { TokenId } from "../request.ts";
import type { Tokenizer } from "../tokenizer.ts";
import type { Question, Route, Target } from "./flow-graph.ts";
import type { SelfPromptStep } from "./next-step.ts";
import { isQuestion, questionPartsOf, transitionKeyOf } from "./question-parts.ts";
import { SelfPromptDriver } from "./self-prompt-driver.ts";
import { selfPromptPlanOf } from "./self-prompt-plan.ts";
import type { FlowAnswer, FlowState } from "./state.ts";
import { checkTarget } from "./target.ts";

export interface FlowRunOptions<Data> {
  readonly entry: Question<Data>;
  /** The questions that are known before the flow runs, by name. */
  readonly questions: ReadonlyMap<string, Question<Data>>;
  readonly data: Data;
  readonly summary: ((state: FlowState<Data>) => string) | undefined;
}

/** The most targets in a row without a question to the model: questions with an `autoAnswer`, functions that return functions. */
const MOST_HOPS = 1000;

/** A text that a flow writes. */
interface SpokenText {
  readonly text: string;
  /** True if the request ends after the text. */
  readonly end: boolean;
  readonly heal: boolean;
}

export class FlowRun<Data> {
  readonly driver: SelfPromptDriver;
  readonly state: FlowState<Data>;
  readonly #history: FlowAnswer[] = [];
  readonly #options: FlowRunOptions<Data>;
  readonly #questions: Map<string, Question<Data>>;
  #current: Question<Data>;
  /** Number of refused answers to the current question. */
  #refused = 0;

  constructor(options: FlowRunOptions<Data>) {
    this.#options = options;
    this.#questions = new Map(options.questions);
    this.#current = options.entry;
    // These objects have no prototype, because a question may be called "constructor".
    this.state = {
      answers: Object.create(null),
      scores: Object.create(null),
      history: this.#history,
      data: options.data,
    };
    this.driver = new SelfPromptDriver({
      name: "The flow",
      first: (tokenizer) => this.#goTo(options.entry, tokenizer),
      answered: (answer, tokenizer) => this.#answered(answer, tokenizer),
      scored: (scores) => {
        this.state.scores[this.#current.name] = scores;
      },
    });
  }

  #answered(answer: string, tokenizer: Tokenizer): SelfPromptStep {
    const question = this.#current;
    const { retry } = questionPartsOf(question);
    if (!retry || retry.valid(answer, this.state)) {
      return this.#goTo(this.#take(question, answer, "model"), tokenizer);
    }
    if (this.#refused < retry.times) {
      this.#refused += 1;
      this.#remember(question, answer, "model", false);
      return { ...this.#ask(question, tokenizer), isRejected: true };
    }
    if (retry.otherwise === undefined) return this.#goTo(this.#take(question, answer, "model"), tokenizer);
    this.#remember(question, answer, "model", false);
    return { ...this.#goTo(retry.otherwise, tokenizer), isRejected: true };
  }

  /** Stores an accepted answer and returns its target. */
  #take(question: Question<Data>, answer: string, source: FlowAnswer["source"]): Target<Data> | null {
    this.#remember(question, answer, source, true);
    this.state.answers[question.name] = answer;
    const { assignments, transitions, branches, fallback } = questionPartsOf(question);
    for (const assign of assignments) assign(this.state, answer);
    const target = transitions.get(transitionKeyOf(answer));
    if (target !== undefined) return target;
    for (const branch of branches) {
      const chosen = branch(this.state);
      if (chosen !== undefined && chosen !== null) return chosen;
    }
    return fallback ?? null;
  }

  #remember(
    { name }: Question<Data>,
    answer: string,
    source: FlowAnswer["source"],
    isAccepted: boolean,
  ): void {
    this.#history.push(Object.freeze({ question: name, answer, source, isAccepted }));
  }

  #goTo(first: Target<Data> | null, tokenizer: Tokenizer): SelfPromptStep {
    let target = first;
    for (let hop = 0; hop < MOST_HOPS; hop++) {
      if (target === null || target === undefined) return {};
      checkTarget(`After ${describeValue(this.#current.name)}, the flow`, target);
      if (typeof target === "function") target = target(this.state) ?? null;
      else if (typeof target === "string")
        return this.#say({ text: target, end: false, heal: true }, tokenizer);
      else if (!isQuestion(target)) return this.#follow(target, tokenizer);
      else {
        this.#enter(target);
        const answer = questionPartsOf<Data>(target).autoAnswer?.(this.state);
        if (typeof answer !== "string" || answer.trim() === "") return this.#ask(target, tokenizer);
        target = this.#take(target, answer.trim(), "auto");
      }
    }
    throw new Error(
      `The flow made ${MOST_HOPS} steps after ${describeValue(this.#current.name)} without asking the model: end the loop, or let it reach a question.`,
    );
  }

  #enter(question: Question<Data>): void {
    const known = this.#questions.get(question.name);
    if (known !== undefined && known !== question) {
      throw new TypeError(
        `Two questions of the flow are called ${describeValue(question.name)}: give each question a different name. If both are the same question, create it once, outside the function that returns it.`,
      );
    }
    this.#questions.set(question.name, question);
    this.#current = question;
    this.#refused = 0;
  }

  #ask(question: Question<Data>, tokenizer: Tokenizer): SelfPromptStep {
    return { ask: selfPromptPlanOf(questionPartsOf(question).asks, tokenizer) };
  }

  #follow(route: Route<Data>, tokenizer: Tokenizer): SelfPromptStep {
    switch (route.kind) {
      case "end":
        return {};
      case "message":
        return this.#say(route, tokenizer);
      case "summary":
        return this.#say({ ...route, text: route.text ?? this.#summary() }, tokenizer);
      case "output":
        return { finish: (actions) => actions.forceOutput(route.text) };
      case "tool": {
        const { calls } = route;
        const made: ToolCallInput | readonly ToolCallInput[] =
          typeof calls === "function" ? calls(this.state) : calls;
        return { finish: (actions) => actions.toolCalls(made) };
      }
    }
  }

  #summary(): string {
    const text = this.#options.summary?.(this.state) ?? null;
    if (text === null) {
      return Object.entries(this.state.answers)
        .map(([name, answer]) => `${name}: ${answer}\n`)
        .join("");
    }
    if (typeof text === "string") return text;
    throw new TypeError(
      `the function "summary" of flow(...) returned ${describeValue(text)}: return a string.`,
    );
  }

  #say({ text, end, heal }: SpokenText, tokenizer: Tokenizer): SelfPromptStep {
    const say: TokenId[] = tokenizer.encode(text);
    if (!end) return { say, heal };
    const [endOfSequence] = tokenizer.eosTokenIds;
    if (endOfSequence === undefined) {
      throw new Error(
        "A message with { end: true } needs a model with an end-of-sequence token: use output(text) here.",
      );
    }
    return { say: [...say, endOfSequence] };
  }
}
