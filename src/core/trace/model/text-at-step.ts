/** The text that the model had read when it predicted a token: the prompt, and the output at that time. Pure. */
import type { TraceModel } from "./trace-model.ts";

/**
 * Indices of the tokens that were in the output when the token with this index was added, in their order. Tokens that
 * had been removed earlier are not among them; tokens that were removed later are, also for a token that was itself
 * removed.
 */
export function outputBefore({ tokens }: Pick<TraceModel, "tokens">, index: number): readonly number[] {
  const length = tokens.step[index] ?? 0;
  const places: number[] = [];
  // A token that came after a removal stands where a removed one stood: the last one at each place is the one that was read.
  for (let earlier = 0; earlier < index; earlier += 1) {
    const place = tokens.step[earlier] ?? 0;
    if (place < length) places[place] = earlier;
  }
  return places;
}

/** Why it is not known what the model had read. */
export type UnknownText = "promptLeftOut" | "idsLeftOut" | "notPrefilled";

export interface TextAtStep {
  /** Ids: the prompt and the output before the token. */
  readonly tokens: readonly number[];
  /** How many of them are the prompt's. */
  readonly promptLength: number;
  /** Id of the token that came. */
  readonly came: number;
}

/**
 * The text that the model had read when it predicted the token with this index, or the reason why the record does not
 * have it.
 */
export function textAtStep(trace: TraceModel, index: number): TextAtStep | UnknownText {
  const { prefilled, leftOut, tokens } = trace;
  if (leftOut.has("prompt")) return "promptLeftOut";
  if (!prefilled || prefilled.tokens.length === 0) return "notPrefilled";
  const prompt = prefilled.tokens.map(({ token }) => token);
  const output = outputBefore(trace, index).map((earlier) => tokens.token[earlier] ?? -1);
  const text = [...prompt, ...output];
  const came = tokens.token[index] ?? -1;
  if (leftOut.has("tokenIds") || came < 0 || text.some((token) => token < 0)) return "idsLeftOut";
  return { tokens: text, promptLength: prompt.length, came };
}
