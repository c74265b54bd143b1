/** The draw as bars: without the mods, after each mod whose probabilities are recorded, and the actual draw. Pure. */
import type { SamplingSettings } from "../../../core/base/sampling.ts";
import { layOutTokenDraw, type TokenDrawBar } from "./draw-layout.ts";
import { type TokenDrawDistribution, tokenDrawDistribution } from "./drawn-from.ts";
import { type StepProbabilities, tokenIdentity } from "./step-probabilities.ts";

export interface NamedTokenDrawBar {
  readonly name: string;
  readonly bar: TokenDrawBar;
  /** The token under the random number, or the token that the user chose; null if unknown. */
  readonly hit: string | null;
}

export interface TokenDrawBarSettings {
  readonly sampling: SamplingSettings;
  readonly vocabularySize: number;
  /** The random number; null if it was left out. */
  readonly draw: number | null;
}

/** `without`: the draw without the mods; null if no mod changed the probabilities. `drawn`: the actual draw. */
export function namedTokenDrawBars(
  { sampled, stages, isChosenByUser }: StepProbabilities,
  {
    without,
    drawn,
  }: { readonly without: TokenDrawDistribution | null; readonly drawn: TokenDrawDistribution },
  { sampling, vocabularySize, draw }: TokenDrawBarSettings,
): readonly NamedTokenDrawBar[] {
  const bar = (
    name: string,
    of: TokenDrawDistribution,
    hit: Parameters<typeof layOutTokenDraw>[2],
  ): NamedTokenDrawBar => ({
    name: of.isEstimate ? `${name} (estimate)` : name,
    bar: layOutTokenDraw(of, draw, isChosenByUser ? null : hit),
    hit: hit && tokenIdentity(hit),
  });
  const bars: NamedTokenDrawBar[] = [];
  if (without) bars.push(bar("without the mods", without, sampled?.counterfactual ?? sampled));
  for (const { modName, probabilities, temperature } of stages.slice(0, -1)) {
    const of =
      probabilities &&
      tokenDrawDistribution({ probabilities, temperature, sampling, vocabularySize, known: null });
    // The record does not say which token the random number would have hit after this mod, so no token is marked as hit.
    if (of) bars.push(bar(`after ${modName}`, of, null));
  }
  bars.push(bar("with the mods", drawn, sampled));
  return bars;
}
