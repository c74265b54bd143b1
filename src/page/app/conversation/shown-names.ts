import { samplingNames, samplingNumbers } from "../../../core/base/sampling.ts";

/**
 * The settings in the order in which they are shown: first those that choose among tokens, then the penalties on tokens
 * that came before.
 */
export const shownSamplingNames = (["choice", "penalty"] as const).flatMap((group) =>
  samplingNames.filter((name) => samplingNumbers[name].group === group),
);
