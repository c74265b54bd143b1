/** The changes that mods made to an answer, as plain JSON for the AI SDK's `providerMetadata.midtoken`. */
import type { JSONObject } from "@ai-sdk/provider";
import type { FinishedRecord, TraceRecord } from "../../core/trace/format/format.ts";
import { createTraceModel, type Intervention, type TraceModel } from "../../core/trace/model/trace-model.ts";
import { modName } from "../../core/trace/model/trace-view.ts";
import type { ChatTokenLogprob } from "../api/chat-completion.ts";

/** One action or fault of a mod, except changes of probabilities. */
export interface MidtokenIntervention {
  /** Name of the mod. */
  readonly mod: string;
  readonly kind: Exclude<Intervention["kind"], "adjustLogits">;
  /** Number of tokens in the answer when the mod was asked. */
  readonly step: number;
  /** The text that the mod added; absent if it added none. */
  readonly text?: string;
  /** How many tokens the mod removed; absent if it removed none. */
  readonly removedTokens?: number;
  /** The mod's message, for the kinds `error` and `fault`. */
  readonly message?: string;
  /** Line of the mod's source, 1-based; absent if unknown. */
  readonly line?: number;
}

export interface MidtokenMetadata {
  /** The id for `engine.requests`, which has the request's records, `.trace` file and permalink. */
  readonly requestId: string;
  /** The first interventions, at most 100. */
  readonly interventions: readonly MidtokenIntervention[];
  readonly interventionCount: number;
  /** At how many steps each mod changed the probabilities, by the mod's name. */
  readonly adjustedSteps: Readonly<Record<string, number>>;
  /** Midtoken's own finish reason; absent until the end. */
  readonly finishReason?: FinishedRecord["reason"];
  /** Index of the tool call in which the answer was cut, for example by `maxOutputTokens`. The calls before it are complete; the cut call is left out of the result's calls. */
  readonly cutToolCall?: number;
  /** Number of tokens that were generated and removed again, for example for hidden questions; absent until the end. */
  readonly hiddenTokens?: number;
  /** Number of the model's forward passes; absent until the end. */
  readonly forwardPasses?: number;
  /** Log-probabilities of the answer's tokens, if `providerOptions.midtoken.logprobs` asked for them. */
  readonly logprobs?: readonly ChatTokenLogprob[];
}

/**
 * The most interventions in the metadata, because apps store metadata with every message, and a mod may act at every token.
 */
const mostInterventions = 100;

/** Follows the records of a request. */
export class MetadataCollector {
  readonly #requestId: string;
  readonly #model: TraceModel = createTraceModel();
  readonly #interventions: MidtokenIntervention[] = [];
  readonly #adjustedSteps = new Map<string, number>();
  #seen = 0;
  #count = 0;

  constructor(requestId: string) {
    this.#requestId = requestId;
  }

  get finished(): FinishedRecord | null {
    return this.#model.finished;
  }

  /** Adds records. Returns true if a mod acted in them. */
  append(records: readonly TraceRecord[]): boolean {
    this.#model.append(records);
    const first = this.#seen;
    const { interventions } = this.#model;
    for (; this.#seen < interventions.length; this.#seen += 1) {
      const intervention = interventions[this.#seen];
      if (intervention) this.#take(intervention);
    }
    return this.#seen > first;
  }

  metadata(logprobs: readonly ChatTokenLogprob[] | null, cutToolCall: number | null): MidtokenMetadata {
    const { finished } = this.#model;
    return {
      requestId: this.#requestId,
      interventions: [...this.#interventions],
      interventionCount: this.#count,
      adjustedSteps: Object.fromEntries(this.#adjustedSteps),
      ...(finished && {
        finishReason: finished.reason,
        hiddenTokens: finished.usage.hiddenTokens,
        forwardPasses: finished.usage.forwardPasses,
      }),
      ...(cutToolCall !== null && { cutToolCall }),
      ...(logprobs && { logprobs }),
    };
  }

  #take({ kind, mod, callRecord }: Intervention): void {
    const name = modName(this.#model, mod);
    if (kind === "adjustLogits") {
      this.#adjustedSteps.set(name, (this.#adjustedSteps.get(name) ?? 0) + 1);
      return;
    }
    this.#count += 1;
    const call = this.#model.records[callRecord];
    if (call?.type !== "modCall" || this.#interventions.length >= mostInterventions) return;
    const { step, action, fault } = call;
    const text = "text" in action && action.text !== "" ? action.text : null;
    const message = fault?.message ?? (action.type === "error" ? action.message : null);
    const line = fault?.line ?? call.line;
    this.#interventions.push({
      mod: name,
      kind,
      step,
      ...(text !== null && { text }),
      ...(action.type === "backtrack" && !fault && { removedTokens: action.count }),
      ...(message !== null && { message }),
      ...(line !== null && { line }),
    });
  }
}

/** The metadata in the AI SDK's format. */
export function providerMetadata(metadata: MidtokenMetadata): Record<"midtoken", JSONObject> {
  return { midtoken: metadata as unknown as JSONObject };
}

/**
 * The field `midtoken` of the `providerMetadata` of a result, a step or a text part; null if another provider made the
 * answer.
 *
 * @example
 * const { providerMetadata } = await generateText({ model, prompt });
 * const metadata = readMidtokenMetadata(providerMetadata);
 * if (metadata) console.log(await engine.requests.permalink(metadata.requestId));
 */
export function readMidtokenMetadata(
  providerMetadata: Readonly<Record<string, unknown>> | undefined,
): MidtokenMetadata | null {
  const metadata = providerMetadata?.midtoken;
  return typeof metadata === "object" && metadata !== null ? (metadata as MidtokenMetadata) : null;
}
