/**
 * Measures how well a direction separates two lists of texts after one layer. Each text is judged by a direction that was
 * computed without this text and without its partner in the other list (cross-validation), so that memorized texts and
 * features that both partners share do not count.
 */

/** Hidden states of the texts of both lists after one layer, each `(hidden)`. Texts at the same place are a pair. */
export interface StatesOfBothLists {
  readonly toward: readonly Float32Array[];
  readonly away: readonly Float32Array[];
}

export interface Separation {
  /**
   * Place of each held-out text on the line between the means, in the lists' order: 1 is the mean of the other texts of
   * `toward`, -1 that of `away`.
   */
  readonly toward: readonly number[];
  readonly away: readonly number[];
  /** The share of the held-out texts that lie on their own list's side of the midpoint. */
  readonly share: number;
  /**
   * Share of all pairs of a held-out text of `toward` and one of `away` in which the first lies higher: the area under the ROC
   * curve.
   */
  readonly area: number;
  /**
   * Distance between the lists' mean places, in standard deviations within the lists (Cohen's d). Infinity if the deviation is
   * 0.
   */
  readonly distance: number;
}

/** Computes the separation. Each list must have at least two texts. */
export function separationOf({ toward, away }: StatesOfBothLists): Separation {
  const sums = { toward: sumOf(toward), away: sumOf(away) };
  const placesIn = (list: readonly Float32Array[]) =>
    list.map((state, pair) =>
      placeOf(
        state,
        meanWithout(sums.toward, toward.length, toward[pair]),
        meanWithout(sums.away, away.length, away[pair]),
      ),
    );
  const places = { toward: placesIn(toward), away: placesIn(away) };
  return { ...places, ...measured(places) };
}

type Places = Pick<Separation, "toward" | "away">;

function measured({ toward, away }: Places): Pick<Separation, "share" | "area" | "distance"> {
  const right = toward.filter((place) => place > 0).length + away.filter((place) => place < 0).length;
  let above = 0;
  for (const one of toward) {
    for (const other of away) {
      if (one > other) above += 1;
      else if (one === other) above += 0.5;
    }
  }
  const degrees = Math.max(1, toward.length + away.length - 2);
  const deviation = Math.sqrt((squares(toward) + squares(away)) / degrees);
  const gap = mean(toward) - mean(away);
  return {
    share: right / (toward.length + away.length),
    area: above / (toward.length * away.length),
    distance: gap === 0 ? 0 : gap / deviation,
  };
}

/** Place of a state along the line through both means; 0 if the means are equal. */
function placeOf(state: Float32Array, toward: Float64Array, away: Float64Array): number {
  let along = 0;
  let length = 0;
  for (let at = 0; at < state.length; at += 1) {
    const [one, other] = [toward[at] as number, away[at] as number];
    along += ((state[at] as number) - (one + other) / 2) * (one - other);
    length += (one - other) ** 2;
  }
  return length === 0 ? 0 : (2 * along) / length;
}

/** The sum of these vectors in float64; no numbers if there are no vectors. */
export function sumOf(states: readonly Float32Array[]): Float64Array {
  const sum = new Float64Array(states[0]?.length ?? 0);
  for (const state of states)
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] as number) + (state[at] as number);
  return sum;
}

/** The mean of all states except `state`; without `state`, the mean of all. */
function meanWithout(sum: Float64Array, count: number, state: Float32Array | undefined): Float64Array {
  if (!state) return sum.map((value) => value / count);
  return sum.map((value, at) => (value - (state[at] as number)) / (count - 1));
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function squares(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
}
