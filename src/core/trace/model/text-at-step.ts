/** The text that the model had read when it predicted a token: the prompt, and the output at that time. Pure. */
import type { TraceModel } from "./trace-model.ts";

/**
 * Indices of the tokens that were in the output when the token with this index was added, in order. Tokens removed before are
 * left out; tokens removed later are included, also if this token was itself removed.
 */
export function outputIndicesBefore(
  { tokens }: Pick<TraceModel, "tokens">,
  index: number,
): readonly number[] {
  const length = tokens.step[index] ?? 0;
  const places: number[] = [];
  // A removed token and the token after its removal have the same place. The model read the later of the two.
  for (let earlier = 0; earlier < index; earlier += 1) {
    const place = tokens.step[earlier] ?? 0;
    if (place < length) places[place] = earlier;
  }
  return places;
}

/** The reason why the text before a token is unknown. */
export type UnknownTextReason = "promptLeftOut" | "idsLeftOut" | "notPrefilled";

export interface ContextBeforeToken {
  /** Token ids of the prompt and of the output before the token. */
  readonly tokens: readonly number[];
  /** How many of these ids belong to the prompt. */
  readonly promptLength: number;
  /** Id of the token that came after this text, chosen by the model or forced. */
  readonly came: number;
}

/**
 * The text that the model had read when it predicted the token with this index, or the reason why the record does not
 * have it.
 */
export function contextBeforeToken(trace: TraceModel, index: number): ContextBeforeToken | UnknownTextReason {
  const { prefilled, leftOut, tokens } = trace;
  if (leftOut.has("prompt")) return "promptLeftOut";
  if (!prefilled || prefilled.tokens.length === 0) return "notPrefilled";
  const prompt = prefilled.tokens.map(({ token }) => token);
  const output = outputIndicesBefore(trace, index).map((earlier) => tokens.token[earlier] ?? -1);
  const text = [...prompt, ...output];
  const came = tokens.token[index] ?? -1;
  if (leftOut.has("tokenIds") || came < 0 || text.some((token) => token < 0)) return "idsLeftOut";
  return { tokens: text, promptLength: prompt.length, came };
}
