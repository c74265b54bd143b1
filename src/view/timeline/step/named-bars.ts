/** The draw as bars: without the mods, after each mod whose probabilities are recorded, and the actual draw. Pure. */
import type { SamplingSettings } from "../../../core/base/sampling.ts";
import { type DrawBar, layOut } from "./draw-layout.ts";
import { type DrawnFrom, drawnFrom } from "./drawn-from.ts";
import { keyOf, type StepProbabilities } from "./step-probabilities.ts";

export interface NamedBar {
  readonly name: string;
  readonly bar: DrawBar;
  /** The token under the random number; null if unknown. */
  readonly hit: string | null;
}

export interface BarSettings {
  readonly sampling: SamplingSettings;
  readonly vocabularySize: number;
  /** The random number; null if it was left out. */
  readonly draw: number | null;
}

/** `without`: the draw without the mods; null if no mod changed the probabilities. `drawn`: the actual draw. */
export function namedBars(
  { sampled, stages }: StepProbabilities,
  { without, drawn }: { readonly without: DrawnFrom | null; readonly drawn: DrawnFrom },
  { sampling, vocabularySize, draw }: BarSettings,
): readonly NamedBar[] {
  const bar = (name: string, of: DrawnFrom, hit: Parameters<typeof layOut>[2]): NamedBar => ({
    name: of.isEstimate ? `${name} (estimate)` : name,
    bar: layOut(of, draw, hit),
    hit: hit && keyOf(hit),
  });
  const bars: NamedBar[] = [];
  if (without) bars.push(bar("without the mods", without, sampled?.counterfactual ?? sampled));
  for (const { modName, probabilities, temperature } of stages.slice(0, -1)) {
    const of =
      probabilities && drawnFrom({ probabilities, temperature, sampling, vocabularySize, known: null });
    // The record does not say which token the random number would have hit after this mod, so no token is marked as hit.
    if (of) bars.push(bar(`after ${modName}`, of, null));
  }
  bars.push(bar("with the mods", drawn, sampled));
  return bars;
}
