/** How far rounding may carry what a device computes: the same graph in float64, with numbers rounded at random. */
import type { GraphEvaluator } from "../../src/runtime/engine/onnx/testing/evaluate-graph.ts";
import type { Rows } from "../../src/runtime/engine/onnx/testing/evaluate-rows.ts";
import { createRandomRounding } from "../../src/runtime/engine/onnx/testing/rounding.ts";

const evaluations = 3;
/** A device may be this many times as far from the exact numbers as the farthest evaluation. */
export const reserve = 2;

/** How far from the exact numbers others lie. */
export interface Distance {
  /** Root mean square of the differences, divided by that of the exact numbers. */
  readonly share: number;
  readonly largest: number;
}

export function distance(exact: ArrayLike<number>, found: ArrayLike<number>): Distance {
  if (exact.length !== found.length) throw new Error(`${found.length} numbers instead of ${exact.length}.`);
  let [squares, differences, largest] = [0, 0, 0];
  for (let i = 0; i < exact.length; i++) {
    const difference = (exact[i] as number) - (found[i] as number);
    squares += (exact[i] as number) ** 2;
    differences += difference ** 2;
    // NaN compares as false: it must not pass for close.
    if (!(Math.abs(difference) <= largest)) largest = Math.abs(difference);
  }
  return { share: Math.sqrt(differences / squares), largest };
}

function lastRow(values: ReadonlyMap<string, Rows>, name: string): Float64Array {
  const rows = values.get(name);
  if (!rows) throw new Error(`Nothing is known of ${name}.`);
  return rows.data.slice(-rows.width);
}

/** The rounding of a device: every number to float16, activations to 8 bits. */
export interface RoundedNumbers {
  readonly half: boolean;
  readonly eightBits: boolean;
}

/** Values of the text by name: exact, and the farthest that rounding carried them. */
export function bounds(
  graph: GraphEvaluator,
  tokens: readonly number[],
  names: readonly string[],
  { half, eightBits }: RoundedNumbers,
) {
  const whole = graph.run(tokens);
  const found = names.map((name) => ({ name, exact: lastRow(whole, name), share: 0, largest: 0 }));
  for (let seed = 1; seed <= evaluations; seed++) {
    const rounded = graph.run(tokens, { rounding: createRandomRounding(seed, half), eightBits });
    for (const each of found) {
      const { share, largest } = distance(each.exact, lastRow(rounded, each.name));
      each.share = Math.max(each.share, share);
      each.largest = Math.max(each.largest, largest);
    }
  }
  return found;
}

/** The logits' name: the output of the last node. */
export function outputOf(graph: GraphEvaluator, tokens: readonly number[]): string {
  return [...graph.run(tokens.slice(0, 1)).keys()].at(-1) ?? "";
}
