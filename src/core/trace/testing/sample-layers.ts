/** A trace with made-up recorded layers at some tokens. */

import { roundToFloat16 } from "../../base/float16.ts";
import type { Trace } from "../format/format.ts";
import type { TraceLayersStep } from "../format/format-layers.ts";
import { randomDistribution, seededRandom } from "./sample-trace.ts";
import { allPieces } from "./story-text.ts";

const layerCount = 5;
const hiddenSize = 4;

/**
 * Adds made-up layers at every third token. Every second of these steps also has layers without steering, every third has
 * hidden states.
 */
export function withSampleLayers({ version, records }: Trace): Trace {
  const random = seededRandom(23);
  const emitted = records.reduce((sum, each) => sum + (each.type === "added" ? each.tokens.length : 0), 0);
  const chosen = allPieces[0] ?? { token: 0, text: "" };
  const stepOf = (index: number, isPlain: boolean): TraceLayersStep => ({
    index,
    isPlain,
    layers: Array.from({ length: layerCount }, (_, layer) => {
      const { entropy, top, logprob } = randomDistribution(random, chosen);
      return { layer, entropy, top, token: { rank: layer, logprob: Math.fround(logprob) } };
    }),
    hidden:
      index % 9 === 0
        ? {
            layers: [1, 4],
            numbers: Array.from({ length: 2 * hiddenSize }, () =>
              index % 2 === 0 ? roundToFloat16(random() - 0.5) : Math.fround(random() - 0.5),
            ),
          }
        : null,
  });
  const steps: TraceLayersStep[] = [];
  for (let index = 0; index < emitted; index += 3) {
    steps.push(stepOf(index, false));
    if (index % 6 === 0) steps.push(stepOf(index, true));
  }
  return { version, records, layers: { layerCount, hiddenSize, steps } };
}
