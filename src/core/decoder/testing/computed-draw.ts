/** A draw as a device makes it, computed from the row: sums that are off by as much as they may be, and what follows from such sums. */
import { mix32 } from "../../base/random.ts";
import {
  type CutOffBorder,
  type DrawnToken,
  drawErrorBound,
  type LogitsDraw,
} from "../ports/device-logits.ts";

interface Weighed {
  readonly token: number;
  readonly weight: number;
}

export function simulateDeviceDraw(
  row: Float32Array,
  { temperature, largest, least, topK, topP, leastKept, draw }: LogitsDraw,
): DrawnToken | null {
  const weighed = [...row.entries()]
    .filter(([, logit]) => logit >= least)
    .map(([token, logit]) => ({ token, weight: Math.exp((logit - largest) / temperature) }));
  weighed.sort((a, b) => (row[b.token] as number) - (row[a.token] as number) || a.token - b.token);
  const massOf = (tokens: readonly Weighed[]) => tokens.reduce((sum, { weight }) => sum + weight, 0);
  // Upwards or downwards by what the sum is.
  const off = (sum: number, of: number) =>
    Math.max(
      0,
      sum + drawErrorBound(of, temperature, row.length) * ((mix32(Math.floor(sum * 1e6)) & 1) * 2 - 1),
    );
  let kept: readonly Weighed[] = topK > 0 ? weighed.slice(0, topK) : weighed;
  let border: CutOffBorder | null = topK > 0 ? borderOf(row, kept) : null;
  if (topP < 1) {
    const exact = massOf(kept);
    const whole = off(exact, exact);
    let sum = 0;
    let count = 0;
    for (; count === 0 || (count < kept.length && sum < topP * whole); count++)
      sum += kept[count]?.weight ?? 0;
    kept = kept.slice(0, count);
    border = borderOf(row, kept);
    const above = massOf(kept.slice(0, kept.length - border.ties));
    border = { ...border, whole, above: off(above, exact) };
  }
  kept = kept.filter(({ token }) => (row[token] as number) >= leastKept);
  const inOrder = kept.toSorted((a, b) => a.token - b.token);
  const exact = massOf(kept);
  const mass = off(exact, exact);
  let before = 0;
  for (const [place, { token, weight }] of inOrder.entries()) {
    if (before + weight > draw * mass) {
      const found = { token, logit: row[token] as number, place, before: off(before, exact) };
      return { ...found, candidates: kept.length, mass, border };
    }
    before += weight;
  }
  return null;
}

function borderOf(row: Float32Array, kept: readonly Weighed[]): CutOffBorder {
  const logit = row[kept.at(-1)?.token ?? 0] as number;
  const ties = kept.filter(({ token }) => row[token] === logit).length;
  return { logit, ties, whole: 0, above: 0 };
}
