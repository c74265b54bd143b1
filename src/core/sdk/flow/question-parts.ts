/** The values that a question's methods have set, in a hidden property of the question that authors do not see. */
import { isMarked, sharedSymbol } from "../../base/recognise-copies.ts";
import type { Question, RetryOptions, Target } from "./flow-graph.ts";
import type { AskOptions } from "./self-prompt-plan.ts";
import type { FlowState } from "./state.ts";

/** The options of a question, and the values that its methods have set. */
export interface QuestionParts<Data> {
  readonly asks: AskOptions;
  /** The targets set by `on`, by `transitionKeyOf(answer)`. */
  readonly transitions: Map<string, Target<Data>>;
  fallback: Target<Data> | undefined;
  readonly assignments: ((state: FlowState<Data>, answer: string) => void)[];
  readonly branches: ((state: FlowState<Data>) => Target<Data> | null | undefined)[];
  autoAnswer: ((state: FlowState<Data>) => string | null | undefined) | undefined;
  retry: RetryOptions<Data> | undefined;
}

const partsMark = sharedSymbol("question");

export function setQuestionParts<Data>(question: Question<Data>, kept: QuestionParts<Data>): void {
  Object.defineProperty(question, partsMark, { value: kept });
}

export function isQuestion<Data>(value: Target<Data> | null | undefined): value is Question<Data> {
  return isMarked(value, partsMark);
}

export function questionPartsOf<Data>(question: Question<Data>): QuestionParts<Data> {
  return (question as unknown as Record<symbol, QuestionParts<Data>>)[partsMark] as QuestionParts<Data>;
}

/** The key of an answer in `transitions`: lower case, without surrounding white space. */
export function transitionKeyOf(answer: string): string {
  return answer.trim().toLowerCase();
}
