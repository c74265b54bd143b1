/** The body of a request for one step of llama.cpp's `POST /completion`. */
import { type CutOffName, cutOffNames } from "../../core/base/sampling.ts";
import type { ServerDrawing } from "../../core/decoder/ports/listed-logits.ts";
import type { TokenId } from "../../core/sdk/request.ts";

/** A token and what is added to its logit; false bans it. */
export type TokenBias = readonly [TokenId, number | false];

export interface StepQuestion {
  readonly text: readonly TokenId[];
  /** How many of the most likely tokens the answer lists. */
  readonly listed: number;
  readonly bias?: readonly TokenBias[];
  /** 0, the most likely token, unless given. */
  readonly temperature?: number;
  readonly seed?: number;
  /** The server draws with these settings, in place of `temperature` and `seed`. */
  readonly drawing?: ServerDrawing | null;
  /** The answer lists probabilities after bias and temperature; log-probabilities of the model unless given. */
  readonly afterBias?: true;
}

/** Fields of an answer that are read: without this list each answer carries 1.7 KB of settings. */
const wantedFields = ["tokens", "completion_probabilities", "timings", "id_slot"];

export function stepRequestBody(question: StepQuestion, slot: number | null): object {
  const { text, listed, bias = [], temperature = 0, seed, afterBias } = question;
  return {
    prompt: text,
    // The server makes a token even if asked for none.
    n_predict: 1,
    n_probs: listed,
    return_tokens: true,
    cache_prompt: true,
    // Parts of another text that are moved to other places would change the numbers.
    n_cache_reuse: 0,
    temperature,
    samplers: ["temperature"],
    response_fields: wantedFields,
    ...(slot !== null && { id_slot: slot }),
    // Pairs: the server needs seconds for an object of many entries.
    ...(bias.length > 0 && { logit_bias: bias }),
    ...(seed !== undefined && { seed }),
    ...(afterBias && { post_sampling_probs: true }),
    ...(question.drawing && drawingFields(question.drawing)),
  };
}

/** The cut-offs among llama.cpp's samplers. The server ignores other names, and would draw from tokens that a cut-off excludes. */
type ServerSampler = "min_p" | "top_k" | "top_n_sigma" | "top_p" | "typ_p" | "xtc";

/**
 * The server's name of each cut-off: of the sampler, and of the field with its value. Null for a cut-off that `ServerDrawing` lacks,
 * because llama.cpp has no such sampler: the server draws nothing for a request that sets this cut-off.
 */
const samplerNames: {
  readonly [Name in CutOffName]: Name extends keyof ServerDrawing ? ServerSampler : null;
} = { topK: "top_k", topP: "top_p", minP: "min_p" };

/** Temperature first, then the cut-offs in their order, as our sampler does; each sampler reads its value from the field of its name. */
function drawingFields({ temperature, seed, ...cutOffs }: ServerDrawing): object {
  const values: Partial<Record<CutOffName, number>> = cutOffs;
  const known = cutOffNames.filter((name) => samplerNames[name] !== null);
  const samplers = ["temperature", ...known.map((name) => samplerNames[name])];
  const settings = known.map((name) => [samplerNames[name], values[name]]);
  return { temperature, samplers, ...Object.fromEntries(settings), seed };
}

/** The server continues with its own most likely tokens, or with those that it draws, and sends each token as it is computed. */
export function streamRequestBody(question: StepQuestion, count: number, slot: number | null): object {
  return {
    ...stepRequestBody(question, slot),
    n_predict: count,
    stream: true,
    // Two short events tell how much of the text the server found in its cache.
    return_progress: true,
    response_fields: ["stop_type", ...wantedFields],
  };
}

/** A bias under which the server makes this token, whatever it thinks of it. */
export function forcedTokenBias(token: TokenId): readonly TokenBias[] {
  return [[token, 1e9]];
}
