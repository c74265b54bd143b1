/** The allowed answers of a request as strategies: text of some kind, calls, or either. */
import { type Constraint, constraintOf } from "../masks/masks/constraint.ts";
import type { Strategy } from "../masks/strategy.ts";
import { StrategyError } from "../masks/strategy-error.ts";
import { responseStrategyOf } from "../sdk/response-strategy.ts";
import type { TraceReasoning } from "../trace/format/format-request.ts";
import type { CallRules, ToolFormat } from "./format.ts";
import { type RequestFormat, RequestFormatError } from "./request-format.ts";
import { allowReasoningFirst } from "./think-first.ts";
import type { VocabularyWithSpecialTokens } from "./vocabulary-with-special-tokens.ts";

export interface AnswerConstraints {
  /** The constraint of an answer without calls; null if the answer must be calls. */
  readonly text: Constraint | null;
  /** True if any text is allowed until a call begins. */
  readonly isFree: boolean;
  /** The constraint of an answer that is calls, with text before them if `isFree`; null if no call is allowed. */
  readonly calls: Constraint | null;
}

/** The most calls of one answer, because a small model may repeat a call without end. */
const MOST_CALLS = 8;

/** The most requests whose constraints are cached, with the masks computed for them. */
const MOST_KEPT = 32;

const kept = new WeakMap<VocabularyWithSpecialTokens, Map<string, AnswerConstraints>>();

/**
 * The constraints of a request with tools or a response format. Reuses the constraints of an earlier request with the same tools
 * and format. @throws RequestFormatError for a schema that cannot be enforced; ConstraintLimitError
 */
export function answerConstraintsOf(
  request: RequestFormat,
  format: ToolFormat,
  vocabulary: VocabularyWithSpecialTokens,
  reasoning: TraceReasoning | null,
): AnswerConstraints {
  const key = JSON.stringify([format.example, request, reasoning]);
  const constraints = kept.get(vocabulary) ?? new Map<string, AnswerConstraints>();
  kept.set(vocabulary, constraints);
  const found = constraints.get(key) ?? createAnswerConstraints(request, format, vocabulary, reasoning);
  // The map is in order of last use, so its first key is removed first.
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
  vocabulary: VocabularyWithSpecialTokens,
  reasoning: TraceReasoning | null,
): AnswerConstraints {
  const { tools, toolChoice, responseFormat } = request;
  const { marker } = vocabulary;
  const bind = (strategy: Strategy) =>
    constraintOf(reasoning ? allowReasoningFirst(strategy, reasoning, marker) : strategy, vocabulary);
  const hasText = tools.length === 0 || toolChoice === "none" || toolChoice === "auto";
  const isFree = hasText && responseFormat === null;
  let text: Strategy | null = null;
  if (hasText) {
    text = responseFormat
      ? named("response_format.json_schema.schema", () => responseStrategyOf(responseFormat))
      : format.text(marker);
  }
  const rules = callRules(request);
  const calls =
    rules &&
    named("tools", () => (isFree ? format.textThenCalls(rules, marker) : format.calls(rules, marker)));
  return { text: text && bind(text), isFree, calls: calls && bind(calls) };
}

/** The calls that the request allows; null if it allows none. */
function callRules({ tools, toolChoice, parallelToolCalls }: RequestFormat): CallRules | null {
  if (tools.length === 0 || toolChoice === "none") return null;
  if (typeof toolChoice === "string") return { tools, mostCalls: parallelToolCalls ? MOST_CALLS : 1 };
  return { tools: tools.filter((tool) => tool.function.name === toolChoice.function.name), mostCalls: 1 };
}

/** Turns errors of strategies into errors about the request's field. */
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
