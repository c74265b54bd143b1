/** The request of one call of `decode()`, checked once. */
import { formatRange, isInRange, samplingNames, samplingNumbers } from "../../base/sampling.ts";
import type { AnswerRequest, TokenId } from "../../sdk/request.ts";
import type {
  TraceDeadlines,
  TraceMod,
  TraceModelInfo,
  TraceReasoning,
} from "../../trace/format/format-request.ts";

/** The source of a mod in the trace, without its name. */
export type ModSource = Omit<TraceMod, "name">;

export interface DecodeRequest extends AnswerRequest {
  /** The prompt after the chat template, as the model reads it. At least one token. */
  readonly prompt: readonly TokenId[];
  /** For the trace: the loaded model, the mods' sources (in the order of the hosts), and the time. */
  readonly model: TraceModelInfo;
  readonly modSources: readonly ModSource[];
  /** For the trace: the limits that the hosts set for their mods. */
  readonly deadlines: TraceDeadlines | null;
  readonly createdAt: number;
  /** True: nobody chose the seed, so a server may draw the tokens with its own random numbers. */
  readonly hasRandomSeed?: boolean | undefined;
  /** For the trace: how the output marks the model's reasoning; null or absent if the output has no reasoning. */
  readonly reasoning?: TraceReasoning | null;
}

/** The default budget of forward passes: enough for a mod to go back over every token three times. */
export function defaultPassBudget(maxTokens: number): number {
  return 4 * maxTokens + 64;
}

/** @throws RangeError that names the field, its value and the allowed values. */
export function checkRequest(request: DecodeRequest, vocabularySize: number, modCount: number): void {
  const { prompt, sampling } = request;
  const require = (isRight: boolean, field: string, value: unknown, rule: string): void => {
    if (!isRight) throw new RangeError(`The request's ${field} is ${value}: it must be ${rule}.`);
  };
  require(prompt.length > 0, "prompt", "empty", "at least one token");
  const stranger = prompt.find((token) => !isCount(token) || token >= vocabularySize);
  require(stranger === undefined, "prompt token", stranger, `a whole number below ${vocabularySize}`);
  require(isCount(request.maxTokens), "maxTokens", request.maxTokens, "a whole number of 0 or more");
  require(Number.isInteger(request.seed), "seed", request.seed, "a whole number");
  const budget = request.budget ?? 0;
  require(isCount(budget), "budget", budget, "a whole number of 0 or more");
  require(!request.stop.includes(""), "stop sequence", '""', "at least one character");
  require(request.modSources.length === modCount, "number of mod sources", request.modSources
    .length, `${modCount}, one for each mod`);
  for (const name of samplingNames) {
    const about = samplingNumbers[name];
    require(isInRange(about, sampling[name]), name, sampling[name], formatRange(about));
  }
  for (const [token, bias] of Object.entries(sampling.logitBias)) {
    require(Math.abs(bias) <= 1e6, `logit bias of token ${token}`, bias, "from -1000000 to 1000000");
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
