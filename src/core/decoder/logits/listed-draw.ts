/**
 * Draws a token if only the most likely tokens are known and these decide the draw. The result is the token that the sampler would
 * take from all logits, except for a draw without cut-offs, which orders the tokens by probability (`drawByRank`).
 */
import { type CutOffName, cutOffNames, samplingNumbers } from "../../base/sampling.ts";
import type { SamplingSettings, TokenId } from "../../sdk/request.ts";
import type { TokenChoice } from "../ports/logits.ts";
import { type KnownLogits, mostLikelyToken, type RankedToken, rankTokens } from "./known-scores.ts";
import { applyCutOffs, chooseByWeight } from "./sampler.ts";
import { computeWeights, type WeightSum } from "./softmax-weights.ts";

/** `"outside"`: the draw hits a token that is not known. `"unknown"`: the known tokens do not decide the draw. */
export type ListedDraw = TokenChoice | "outside" | "unknown";

type CutOffSettings = Readonly<Record<CutOffName, number>>;

const neutralSettingsOf = (names: readonly CutOffName[]) =>
  Object.fromEntries(names.map((name) => [name, samplingNumbers[name].neutral])) as Partial<CutOffSettings>;

/** Sampling settings with these values exclude no token. */
export const neutralCutOffs = neutralSettingsOf(cutOffNames) as CutOffSettings;

const isSet = (settings: SamplingSettings) => (name: CutOffName) => settings[name] !== neutralCutOffs[name];

/** Whether the cut-offs leave every token in. */
export function hasNoCutOff(settings: SamplingSettings): boolean {
  return !cutOffNames.some(isSet(settings));
}

/**
 * @param draw uniform in [0, 1)
 * @param isAskedAgain a shorter list did not decide this draw. Without cut-offs the tokens then keep their order by probability,
 *   even if all are known now: in another order the draws that a short list leaves undecided would hit the wrong tokens.
 */
export function drawFromListed(
  known: KnownLogits,
  settings: SamplingSettings,
  draw: number,
  isAskedAgain = false,
): ListedDraw {
  const best = mostLikelyToken(known);
  if (!best) return known.border === Number.NEGATIVE_INFINITY ? "unknown" : "outside";
  if (settings.temperature === 0) {
    // If two scores are equal, the sampler takes the lower id, and the other token may be an unknown one.
    if (best.score <= known.border) return "unknown";
    return { token: best.token, probability: 1, candidates: 1 };
  }
  const weighed = new WeighedScores(known, rankTokens(known), settings.temperature);
  if (hasNoCutOff(settings) && (isAskedAgain || !weighed.isAll)) return weighed.drawByRank(draw);
  return weighed.draw(settings, draw);
}

/** The token's probability after the cut-offs, 0 if a cut-off removes the token; null if the known tokens do not decide it. */
export function probabilityFromListed(
  known: KnownLogits,
  settings: SamplingSettings,
  token: TokenId,
): TokenChoice | null {
  const ranked = rankTokens(known);
  const [best] = ranked;
  if (!best) return null;
  if (settings.temperature === 0) return { token, probability: token === best.token ? 1 : 0, candidates: 1 };
  return new WeighedScores(known, ranked, settings.temperature).probabilityOf(settings, token);
}

/** The known tokens that cut-offs leave. */
interface RemainingTokens {
  /** Weights of the known tokens, 0 for an excluded token. */
  readonly weights: Float64Array;
  readonly sum: WeightSum;
}

/** A server's probabilities are float32, so their distance from 1 is known only up to this error. */
const restError = 2e-6;

class WeighedScores {
  /** The tokens that are more likely than every unknown token, sorted by id. */
  readonly #tokens: readonly TokenId[];
  readonly #weights: Float64Array;
  readonly #listed: WeightSum;
  readonly #best: number;
  readonly #vocabularySize: number;
  /** Upper bound for the weight of an unknown token. */
  readonly #border: number;
  /** Lower and upper bound for the sum of all weights. */
  readonly #mass: { readonly least: number; readonly most: number };
  /** Every token with a weight above 0 is known. */
  readonly isAll: boolean;
  readonly #ranked: readonly { readonly token: TokenId; readonly weight: number }[];

  constructor(
    { border, rest, scores, vocabularySize }: KnownLogits,
    ranked: readonly RankedToken[],
    temperature: number,
  ) {
    const largest = (ranked[0] as RankedToken).score;
    const weightOf = (score: number) => Math.exp((score - largest) / temperature);
    this.#vocabularySize = vocabularySize;
    this.#border = weightOf(border);
    this.isAll = this.#border === 0;
    const certain = this.isAll ? ranked : ranked.filter(({ score }) => score > border);
    const byId = certain.toSorted((a, b) => a.token - b.token);
    this.#tokens = byId.map(({ token }) => token);
    this.#weights = new Float64Array(byId.length);
    this.#best = byId.findIndex(({ token }) => token === ranked[0]?.token);
    const row = Float32Array.from(byId, ({ score }) => score);
    this.#listed = computeWeights(row, Math.fround(largest), temperature, this.#weights);
    this.#ranked = ranked.map(({ token, score }) => ({ token, weight: weightOf(score) }));
    const known = this.#ranked.reduce((sum, { weight }) => sum + weight, 0);
    const others = Math.max(1, vocabularySize - scores.size);
    const [least, most] = restWeights({ border, rest, others, largest, temperature });
    this.#mass = this.isAll ? { least: known, most: known } : { least: known + least, most: known + most };
  }

  draw(settings: SamplingSettings, draw: number): ListedDraw {
    const kept = this.#kept(settings);
    if (!kept) return "unknown";
    const choice = chooseByWeight(kept.weights, kept.sum, draw);
    return { ...choice, token: this.#tokens[choice.token] as number };
  }

  probabilityOf(settings: SamplingSettings, token: TokenId): TokenChoice | null {
    const weight = this.#ranked.find((each) => each.token === token)?.weight ?? 0;
    if (hasNoCutOff(settings))
      return { token, probability: weight / this.#mass.most, candidates: this.#vocabularySize };
    const kept = this.#kept(settings);
    if (!kept) return null;
    const place = this.#tokens.indexOf(token);
    const left = place < 0 ? 0 : (kept.weights[place] as number);
    return { token, probability: left / kept.sum.mass, candidates: kept.sum.candidates };
  }

  /**
   * Draws without cut-offs. The tokens are ordered by probability, not by id as in the sampler, so that the first tokens keep their
   * place if the server lists more tokens.
   */
  drawByRank(draw: number): ListedDraw {
    const { least, most } = this.#mass;
    const [first, second] = [this.#rankAt(draw * least), this.#rankAt(draw * most)];
    if (first !== second) return "unknown";
    const chosen = first === null ? null : this.#ranked[first];
    if (!chosen) return "outside";
    return { token: chosen.token, probability: chosen.weight / most, candidates: this.#vocabularySize };
  }

  #rankAt(target: number): number | null {
    let sum = 0;
    for (const [place, { weight }] of this.#ranked.entries()) {
      sum += weight;
      if (sum > target) return place;
    }
    return null;
  }

  /**
   * The tokens that the cut-offs keep, or null if an unknown token can be among them. The first cut-off that is set must leave
   * known tokens only; the later ones then exclude some of these.
   */
  #kept(settings: SamplingSettings): RemainingTokens | null {
    if (this.isAll) return this.#cut(this.#listed, settings);
    const first = cutOffNames.find(isSet(settings));
    if (!first) return null;
    const kept = this.#firstCut[first]({ ...settings, ...neutralCutOffs, [first]: settings[first] });
    const applied = cutOffNames.slice(0, cutOffNames.indexOf(first) + 1);
    return kept && this.#cut(kept.sum, { ...settings, ...neutralSettingsOf(applied) }, kept.weights);
  }

  /**
   * Each cut-off, with settings that have no other cut-off: the known tokens that it keeps, or null if it may keep an unknown
   * token. Null for every value means that the server must list the whole vocabulary.
   */
  readonly #firstCut: Readonly<Record<CutOffName, (settings: SamplingSettings) => RemainingTokens | null>> = {
    topK: (settings) => (settings.topK <= this.#weights.length ? this.#cut(this.#listed, settings) : null),
    topP: (settings) => {
      if (this.#weights.length === 0) return null;
      const [low, high] = [this.#mass.least, this.#mass.most].map((mass) =>
        this.#cut({ mass, candidates: this.#vocabularySize }, settings),
      );
      if (!low || !high || low.sum.candidates !== high.sum.candidates) return null;
      // The last one may not have been reached because it is the last.
      return high.sum.candidates >= this.#weights.length ? null : low;
    },
    minP: (settings) =>
      this.#weights.length > 0 && this.#border < settings.minP ? this.#cut(this.#listed, settings) : null,
  };

  #cut(sum: WeightSum, settings: SamplingSettings, from: Float64Array = this.#weights): RemainingTokens {
    const weights = from.slice();
    const all = { best: this.#best, count: this.#vocabularySize };
    return { weights, sum: applyCutOffs(weights, sum, settings, all) };
  }
}

interface RestOfScores extends Pick<KnownLogits, "border" | "rest"> {
  readonly others: number;
  readonly largest: number;
  readonly temperature: number;
}

/**
 * Bounds for the sum of the unknown tokens' weights at a temperature. No unknown token is more likely than the border. One bound
 * assumes that few tokens have the border's probability and the others none; the other bound, that all are equally likely.
 */
function restWeights({
  border,
  rest,
  others,
  largest,
  temperature,
}: RestOfScores): readonly [number, number] {
  const power = 1 / temperature;
  const unit = Math.exp(-largest * power);
  const least = Math.max(0, rest.least - restError);
  // Even if little probability is left, each unknown token may be as likely as the border.
  const most = Math.min(rest.most + restError, others * Math.exp(border));
  if (temperature === 1) return [least * unit, most * unit];
  const few = (mass: number) => mass * Math.exp(border * (power - 1));
  const equal = (mass: number) => others * (mass / others) ** power;
  const [low, high] = temperature < 1 ? [equal, few] : [few, equal];
  return [low(least) * unit, high(most) * unit];
}
