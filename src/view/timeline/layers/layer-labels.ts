/** Describes a step's layers in words. Pure. */
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { formatCount } from "../../ui/format.ts";
import { finalLayerPrediction, type LayerDivergence, type StepLayers, settledLayer } from "./step-layers.ts";

/** The token that came out, and whether the model chose it. */
export interface StepOutputToken {
  readonly token: number;
  readonly text: string;
  /** A mod placed the token: the model may have predicted another one. */
  readonly isForced: boolean;
}

/** A sentence whose first part is stressed. */
export interface LayerSentence {
  readonly stressed: string;
  readonly rest: string;
}

/** A token in quotes, with invisible characters shown; ¶ for an end-of-sequence token without a text. */
export function quoteToken(text: string): string {
  return `“${text === "" ? "¶" : showInvisibleCharacters(text)}”`;
}

export function describeLayerDecision(
  step: StepLayers,
  { token, text, isForced }: StepOutputToken,
): LayerSentence {
  const count = step.lines.length;
  const own = finalLayerPrediction(step);
  if (!own) return { stressed: "No layer was read.", rest: "" };
  const settled = settledLayer(step.lines, token);
  if (isForced) {
    return settled === null
      ? {
          stressed: "Written by a mod.",
          rest: ` The model would have said ${quoteToken(own.token.text)}, ${since(own.layer, count)}.`,
        }
      : {
          stressed: "Written by a mod.",
          rest: ` The model ranks this token first as well, ${since(settled, count)}.`,
        };
  }
  if (settled === null) {
    const rank = step.lines.at(-1)?.token?.rank;
    return {
      stressed:
        rank === undefined
          ? "Drawn, although it was not the most likely token."
          : `Drawn at rank ${formatCount(rank + 1)}.`,
      rest: ` The last layer puts ${quoteToken(own.token.text)} first, ${since(own.layer, count)}.`,
    };
  }
  if (settled === 0)
    return {
      stressed: "Decided from the first layer on:",
      rest: ` every layer puts ${quoteToken(text)} first.`,
    };
  return {
    stressed: `Decided at layer ${settled} (0 to ${count - 1}):`,
    rest:
      settled === count - 1
        ? ` only the last layer ranks ${quoteToken(text)} first.`
        : ` from there on ${quoteToken(text)} stays first.`,
  };
}

function since(layer: number, count: number): string {
  if (layer === 0) return "decided from the first layer on";
  return layer === count - 1 ? "decided at the last layer" : `decided at layer ${layer} (0 to ${count - 1})`;
}

/** Says from which layer on a steered step differs from the same tokens without steering, and what each predicts in the end. */
export function describeLayerDivergence(
  { firstLayer, word }: LayerDivergence,
  step: StepLayers,
  plain: StepLayers,
): LayerSentence {
  const own = finalLayerPrediction(step);
  const other = finalLayerPrediction(plain);
  if (firstLayer === null || !own || !other)
    return { stressed: "No difference.", rest: " Every layer predicts the same with and without steering." };
  if (word === null)
    return {
      stressed: `Steering changes the predictions from layer ${firstLayer} on.`,
      rest: ` The last layer still ranks ${quoteToken(own.token.text)} first.`,
    };
  return {
    stressed: `Steering changes the predictions from layer ${firstLayer} on.`,
    rest: ` From layer ${word} on, different words are ranked first: ${quoteToken(own.token.text)} with steering, ${quoteToken(other.token.text)} without.`,
  };
}
