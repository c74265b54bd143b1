/**
 * How well a direction tells two lists of texts apart, layer by layer. Each text is judged by a direction that was made without it
 * (leave one out), so that a list that was learnt by heart does not look like one that was understood.
 */

/** Hidden states of the texts of both lists behind one layer, `(hidden)` of each. */
export interface TwoLists {
  readonly toward: readonly Float32Array[];
  readonly away: readonly Float32Array[];
}

/** Where the held-out texts of both lists fall, in the lists' order: 1 is the mean of the other texts of `toward`, -1 that of `away`, 0 the midpoint. */
export interface HeldOutPlaces {
  readonly toward: readonly number[];
  readonly away: readonly number[];
}

export interface Separation extends HeldOutPlaces {
  /** Of the held-out texts, those that fall on their own list's side of the midpoint. */
  readonly share: number;
  /** That a held-out text of `toward` falls above one of `away`, over all pairs: the area under the curve of sensitivity and specificity. */
  readonly area: number;
  /** Between the two lists' mean places, in standard deviations within the lists (Cohen's d). Infinity where nothing varies. */
  readonly distance: number;
}

/** At least two texts of each list. */
export function separationOf({ toward, away }: TwoLists): Separation {
  const sums = { toward: sumOf(toward), away: sumOf(away) };
  const places: HeldOutPlaces = {
    toward: toward.map((state) =>
      placeOf(state, less(sums.toward, state, toward.length), scaled(sums.away, away.length)),
    ),
    away: away.map((state) =>
      placeOf(state, scaled(sums.toward, toward.length), less(sums.away, state, away.length)),
    ),
  };
  return { ...places, ...measured(places) };
}

function measured({ toward, away }: HeldOutPlaces): Pick<Separation, "share" | "area" | "distance"> {
  const right = toward.filter((place) => place > 0).length + away.filter((place) => place < 0).length;
  let above = 0;
  for (const one of toward) for (const other of away) above += one > other ? 1 : one === other ? 0.5 : 0;
  const deviation = Math.sqrt(
    (squares(toward) + squares(away)) / Math.max(1, toward.length + away.length - 2),
  );
  const gap = mean(toward) - mean(away);
  return {
    share: right / (toward.length + away.length),
    area: above / (toward.length * away.length),
    distance: gap === 0 ? 0 : gap / deviation,
  };
}

/** Along the line through both means; 0 where they are the same. */
function placeOf(state: Float32Array, toward: Float64Array, away: Float64Array): number {
  let along = 0;
  let length = 0;
  for (let at = 0; at < state.length; at += 1) {
    const [one, other] = [toward[at] as number, away[at] as number];
    const direction = one - other;
    along += ((state[at] as number) - (one + other) / 2) * direction;
    length += direction * direction;
  }
  return length === 0 ? 0 : (2 * along) / length;
}

export function sumOf(states: readonly Float32Array[]): Float64Array {
  const sum = new Float64Array(states[0]?.length ?? 0);
  for (const state of states)
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] as number) + (state[at] as number);
  return sum;
}

const scaled = (sum: Float64Array, count: number) => sum.map((value) => value / count);

/** The mean without one state. */
const less = (sum: Float64Array, state: Float32Array, count: number) =>
  sum.map((value, at) => (value - (state[at] as number)) / (count - 1));

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function squares(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
}
