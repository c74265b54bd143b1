/** How much probability a mod moved from some tokens to others. Pure. */
import { formatProbability } from "../../ui/format.ts";
import { type ListedProbabilities, type TokenProbability, tokenIdentity } from "./step-probabilities.ts";

/** A token that gained or lost probability. A probability is null if the token was not among the recorded ones at that time. */
export interface MovedToken {
  readonly token: number;
  readonly text: string | null;
  readonly before: number | null;
  readonly after: number | null;
}

export interface MovedMass {
  /** Bounds of the moved probability. It is not exact, because the record has only the most likely tokens. */
  readonly least: number;
  readonly most: number;
  /** The tokens that certainly changed most: at most five, the largest change first. */
  readonly movers: readonly MovedToken[];
  /** Upper bounds of the probability of an unlisted token, before and after. */
  readonly mostBefore: number;
  readonly mostAfter: number;
}

const mostMovers = 5;
/** Smaller changes get no row. */
const leastChange = 0.0005;

/** The moved probability is half of the sum of all absolute differences: what some tokens lost, others gained. */
export function movedMass(before: ListedProbabilities, after: ListedProbabilities): MovedMass {
  const pairs = pairsOf(before.list, after.list);
  const mostBefore = before.mostOther;
  const mostAfter = after.mostOther;
  const lost = lossBounds(pairs, mostAfter);
  const gained = lossBounds(pairs.map(swapTimes), mostBefore);
  const least = Math.min(1, Math.max(lost.least, gained.least));
  const most = Math.max(least, Math.min(1, lost.most, gained.most));
  /** The change that is certain, whatever the probability was when the token was not recorded. */
  const change = ({ before: from, after: to }: MovedToken) => {
    if (from === null) return Math.max(0, (to ?? 0) - mostBefore);
    return to === null ? Math.max(0, from - mostAfter) : Math.abs(to - from);
  };
  const movers = pairs
    .filter((pair) => change(pair) > leastChange)
    .sort((one, other) => change(other) - change(one));
  return { least, most, movers: movers.slice(0, mostMovers), mostBefore, mostAfter };
}

const swapTimes = ({ token, text, before, after }: MovedToken): MovedToken => ({
  token,
  text,
  before: after,
  after: before,
});

/** Bounds of the probability that tokens lost, if an unlisted token has at most `mostOther` afterwards. */
function lossBounds(pairs: readonly MovedToken[], mostOther: number): { least: number; most: number } {
  let least = 0;
  let most = 0;
  let listed = 0;
  for (const { before, after } of pairs) {
    listed += before ?? 0;
    least += Math.max(0, (before ?? 0) - (after ?? mostOther));
    most += before === null ? 0 : Math.max(0, before - (after ?? 0));
  }
  // Tokens that were not listed before may have lost all of their probability.
  return { least, most: most + Math.max(0, 1 - listed) };
}

function pairsOf(
  before: readonly TokenProbability[],
  after: readonly TokenProbability[],
): readonly MovedToken[] {
  const pairs = new Map<string, { -readonly [Key in keyof MovedToken]: MovedToken[Key] }>();
  for (const each of before)
    pairs.set(tokenIdentity(each), {
      token: each.token,
      text: each.text,
      before: each.probability,
      after: null,
    });
  for (const each of after) {
    const known = pairs.get(tokenIdentity(each));
    if (known) known.after = each.probability;
    else
      pairs.set(tokenIdentity(each), {
        token: each.token,
        text: each.text,
        before: null,
        after: each.probability,
      });
  }
  return [...pairs.values()];
}

/** `43%`, or `43% to 51%` if only bounds are known. */
export function movedMassLabel({ least, most }: Pick<MovedMass, "least" | "most">): string {
  const low = formatProbability(least);
  const high = formatProbability(most);
  return low === high || most - least < 0.005 ? formatProbability((least + most) / 2) : `${low} to ${high}`;
}
