/** The draw in words. Pure. */
import { formatNumber, joinNames } from "../../../core/base/number-text.ts";
import { cutOffNames, type SamplingSettings, samplingNumbers } from "../../../core/base/sampling.ts";
import { quote } from "../../../core/trace/model/trace-view.ts";
import { formatProbability } from "../../ui/format.ts";
import type { TokenDrawBar } from "./draw-layout.ts";
import type { TokenDrawDistribution } from "./drawn-from.ts";
import { type StepProbabilities, tokenIdentity } from "./step-probabilities.ts";

/** Names a token by its text, or by its id if the record has no text. */
export function tokenTextOrId({
  token,
  text,
}: {
  readonly token: number;
  readonly text: string | null;
}): string {
  if (text === null) return `token ${token}`;
  return text === "" ? "the end-of-text token" : quote(text);
}

interface DrawDetails {
  readonly draw: number | null;
  /** The token that came. */
  readonly written: string;
  /** The result of `describeDrawSettings`. */
  readonly settings: string;
  readonly bar: TokenDrawBar | null;
}

/** Why a token's probability in the draw differs from the model's: "temperature 0.8 and top-p 0.95"; "" if nothing differs. */
export function describeDrawSettings(sampling: SamplingSettings, temperature: number): string {
  const names = ["temperature", ...cutOffNames] as const;
  const parts = names.flatMap((name) => {
    const value = name === "temperature" ? temperature : sampling[name];
    const { neutral, short } = samplingNumbers[name];
    return value === neutral ? [] : [`${short} ${formatNumber(value)}`];
  });
  return joinNames(parts);
}

/** Describes which token the random number selected, and which token it would have selected without the mods. */
export function describeTokenDraw(
  { sampled, isForced, isChosenByUser }: StepProbabilities,
  drawn: TokenDrawDistribution,
  { draw, written, settings, bar }: DrawDetails,
): string {
  if (!sampled) return "";
  const own = drawn.tokens.find((token) => tokenIdentity(token) === tokenIdentity(sampled));
  const share = own ? `, which had ${formatProbability(own.share)}${settings && ` after ${settings}`}` : "";
  if (isChosenByUser)
    return `You chose ${tokenTextOrId(sampled)}${share}.${draw === null || bar === null ? "" : wouldHaveSelected(draw, bar)}`;
  const subject = draw === null ? "The random number" : `The random number ${draw.toFixed(4)}`;
  const words = [`${subject} selected ${tokenTextOrId(sampled)}${share}.`];
  if (sampled.counterfactual)
    words.push(
      `Without the mods, the same number would have selected ${tokenTextOrId(sampled.counterfactual)}.`,
    );
  if (sampled.healed) words.push(`The token completes ${quote(sampled.healed.text)} (token healing).`);
  if (isForced) words.push(`Then a mod replaced this token with ${quote(written)}.`);
  return words.join(" ");
}

function wouldHaveSelected(draw: number, { parts }: TokenDrawBar): string {
  const token = parts.find(({ from, to }) => from <= draw && draw < to)?.token;
  return token ? ` The random number ${draw.toFixed(4)} would have selected ${tokenTextOrId(token)}.` : "";
}

/** Why the draw cannot be drawn as bars; null if it can. */
export function whyNoDrawBars(probabilities: StepProbabilities, hasBias: boolean): string | null {
  if (!probabilities.sampled) return "No token was drawn at this step.";
  if (probabilities.sampled.drawnBy === "server") {
    const isWatched = probabilities.sampled.candidates === 0;
    return isWatched
      ? "The server chose this token. The server does not report its random numbers."
      : "The server drew this token with its own random numbers.";
  }
  if (probabilities.temperature === 0)
    return "At temperature 0 nothing is drawn: the most likely token is chosen.";
  return hasBias
    ? "A penalty or bias changed the probabilities after they were recorded, so this draw cannot be shown."
    : null;
}
