/** The request to the engine for the layers of a step, or the reason why the engine cannot read them. Pure. */

import type { TraceLayerSays } from "../../../core/trace/format/format-layers.ts";
import { type SteeredSpan, steeredSpansBefore } from "../../../core/trace/model/steered-rows.ts";
import { contextBeforeToken, type UnknownTextReason } from "../../../core/trace/model/text-at-step.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { LayersQuery, LayersReadingWithTexts } from "../../../runtime/session/page-side/layers.ts";
import type { CachedReading } from "./reading-cache.ts";

/** How many of the most likely tokens of each layer are read. */
const topTokens = 5;

export interface LayersQueryWithSpans {
  readonly query: LayersQuery;
  /** The spans of steered text; empty if nothing steered. */
  readonly spans: readonly SteeredSpan[];
}

const whyUnknown: Readonly<Record<UnknownTextReason, string>> = {
  promptLeftOut:
    "The link left out the prompt, so the layers cannot be computed: open the run’s .trace file.",
  idsLeftOut:
    "The link left out the token ids, so the layers cannot be computed: open the run’s .trace file.",
  notPrefilled: "The run ended before the model had read the prompt, so there are no layers to read.",
};

/** Returns a sentence with the reason if the engine cannot read the step. `isPlain`: read without steering. */
export function layersQuestionAt(
  trace: TraceModel,
  index: number,
  { isPlain, keepHidden }: { readonly isPlain: boolean; readonly keepHidden: boolean },
): LayersQueryWithSpans | string {
  const text = contextBeforeToken(trace, index);
  if (typeof text === "string") return whyUnknown[text];
  const { tokens, promptLength, came } = text;
  const steered = steeredSpansBefore(trace, index, promptLength);
  if (steered.spans === null)
    return "This run was opened without the vectors that steered it, so the layers cannot be computed. Open the run’s .trace file, which has the vectors.";
  const query: LayersQuery = {
    tokens,
    places: [tokens.length - 1],
    lens: { layers: "all", count: topTokens, tokens: [came] },
    ...(!isPlain && steered.spans.length > 0 && { steered: steered.spans }),
    ...(keepHidden && { hidden: "all" as const }),
  };
  return { query, spans: steered.spans };
}

/** The mods' changes of layers at the step: at the token that was read last, or at one before it. */
export function layerChangesAt({ query, spans }: LayersQueryWithSpans): ReadonlyMap<number, string> {
  const last = query.tokens.length - 1;
  const words = new Map<number, string>();
  for (const { from, to, vectors, patches } of spans) {
    const isHere = from <= last && last < to;
    for (const { layer } of vectors)
      if (isHere || !words.has(layer)) words.set(layer, isHere ? "steered" : "before");
    for (const { layer } of patches)
      if (isHere && to === last + 1) words.set(layer, "patched");
      else if (!words.has(layer)) words.set(layer, "before");
  }
  return words;
}

/** Converts the engine's reading of one step for the cache. @throws Error when the reading lacks the step's place. */
export function toCachedReading(
  index: number,
  isPlain: boolean,
  { places, texts, hiddenSize }: LayersReadingWithTexts,
): CachedReading {
  const [place] = places;
  if (!place)
    throw new Error(
      "The engine returned no layers for this step. This is a bug in Midtoken: please report it.",
    );
  // Rounded as in a file, so that a reading is the same after a save and a load.
  const layers = place.lens.map(
    ({ layer, top, entropy, token }): TraceLayerSays => ({
      layer,
      entropy: Math.fround(entropy),
      token: token && { rank: token.rank, logprob: Math.fround(token.logprob) },
      top: Array.from(top.tokens, (id, at) => ({
        token: id,
        text: texts.get(id) ?? "",
        logprob: Math.fround(top.logprobs[at] ?? Number.NEGATIVE_INFINITY),
      })),
    }),
  );
  return { step: { index, isPlain, layers }, hidden: place.hidden, hiddenSize };
}
