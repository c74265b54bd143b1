/** The allowed answers of a request as strategies: text of some kind, calls, or either. */
import { type Constraint, constraintOf } from "../masks/masks/constraint.ts";
import type { Strategy } from "../masks/strategy.ts";
import { StrategyError } from "../masks/strategy-error.ts";
import { responseStrategyOf } from "../sdk/response-strategy.ts";
import type { TraceReasoning } from "../trace/format/format-request.ts";
import type { CallVocabulary } from "./call-vocabulary.ts";
import type { CallRules, ToolFormat } from "./format.ts";
import { type RequestFormat, RequestFormatError } from "./request-format.ts";
import { thinkFirst } from "./think-first.ts";

export interface AnswerConstraints {
  /** The answer as text; null if it has to be calls. */
  readonly text: Constraint | null;
  /** The text is free until a call begins. */
  readonly isFree: boolean;
  /** The answer as calls, with text before them where it is free; null if none may be. */
  readonly calls: Constraint | null;
}

/** Most calls of one answer: a small model that repeats itself has to come to an end. */
const MOST_CALLS = 8;

/** Requests whose constraints, with the masks that were made for them, are kept. */
const MOST_KEPT = 32;

const kept = new WeakMap<CallVocabulary, Map<string, AnswerConstraints>>();

/**
 * The constraints of a request with tools or a response format. Reuses the constraints of an earlier request with the same tools
 * and format. @throws RequestFormatError for a schema that cannot be enforced; ConstraintLimitError
 */
export function answerConstraintsOf(
  request: RequestFormat,
  format: ToolFormat,
  vocabulary: CallVocabulary,
  reasoning: TraceReasoning | null,
): AnswerConstraints {
  const key = JSON.stringify([format.example, request, reasoning]);
  const constraints = kept.get(vocabulary) ?? new Map<string, AnswerConstraints>();
  kept.set(vocabulary, constraints);
  const found = constraints.get(key) ?? createAnswerConstraints(request, format, vocabulary, reasoning);
  // The map is in order of last use: the first key is the one to forget.
  constraints.delete(key);
  constraints.set(key, found);
  for (const oldest of constraints.keys()) {
    if (constraints.size <= MOST_KEPT) break;
    constraints.delete(oldest);
  }
  return found;
}

function createAnswerConstraints(
  request: RequestFormat,
  format: ToolFormat,
  vocabulary: CallVocabulary,
  reasoning: TraceReasoning | null,
): AnswerConstraints {
  const { tools, toolChoice, responseFormat } = request;
  const { marker } = vocabulary;
  const bind = (strategy: Strategy) =>
    constraintOf(reasoning ? thinkFirst(strategy, reasoning, marker) : strategy, vocabulary);
  const hasText = tools.length === 0 || toolChoice === "none" || toolChoice === "auto";
  const isFree = hasText && responseFormat === null;
  const text = !hasText
    ? null
    : responseFormat
      ? named("response_format.json_schema.schema", () => responseStrategyOf(responseFormat))
      : format.text(marker);
  const rules = callRules(request);
  const calls =
    rules &&
    named("tools", () => (isFree ? format.textThenCalls(rules, marker) : format.calls(rules, marker)));
  return { text: text && bind(text), isFree, calls: calls && bind(calls) };
}

/** Which calls the request allows; null when none. */
function callRules({ tools, toolChoice, parallelToolCalls }: RequestFormat): CallRules | null {
  if (tools.length === 0 || toolChoice === "none") return null;
  if (typeof toolChoice === "string") return { tools, mostCalls: parallelToolCalls ? MOST_CALLS : 1 };
  return { tools: tools.filter((tool) => tool.function.name === toolChoice.function.name), mostCalls: 1 };
}

/** Errors of strategies become the request's. */
function named<Made extends Strategy | null>(field: string, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof StrategyError)) throw error;
    const inner = error.strategy.startsWith("tool ") ? `, ${error.strategy}` : "";
    const where = error.where === "" ? "" : `, ${error.where}`;
    throw new RequestFormatError(field, `${inner}${where}: ${error.reason}`, { cause: error });
  }
}
