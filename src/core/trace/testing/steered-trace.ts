/** A run whose mods steer and patch, for tests and for manual review: several mods at once, a mod that fails, and a backtrack. */
import type { Trace, TraceAction, TraceVector } from "../format/format.ts";
import { randomDistribution, seededRandom } from "./sample-trace.ts";
import { pieceTokens, story } from "./story-text.ts";
import { banOfOne, createTraceBuilder, fault, requestRecord, type TraceBuilder } from "./trace-builder.ts";
import { patchWith, steerNoMore, vectorAgain, vectorWith } from "./vectors.ts";

const source = (name: string, layers: string) => `import { mod, steeringVector } from "midtoken/mod";

const vector = steeringVector("${name}");

export default mod({
  layers: ${layers},
  prefilled(_event, actions) {
    return actions.steer({ ...vector, scale: 2 });
  },
});
`;

const mods = [
  { name: "cheerful", source: source("cheerful", "[12]") },
  { name: "terse", source: source("terse", "[3, 10, 14]") },
  { name: "echo", source: source("echo", "[20]") },
  { name: "faulty", source: source("faulty", "[5]") },
];

/** Gives a vector its numbers at its first use. */
function vectorsOf(random: () => number, hiddenSize: number): (digest: number) => TraceVector {
  const known = new Map<number, TraceVector>();
  return (digest) => {
    const before = known.get(digest);
    if (before) return vectorAgain(before);
    const numbers = Array.from({ length: hiddenSize }, () => Math.fround(random() * 2 - 1));
    const vector = vectorWith(digest, numbers);
    known.set(digest, vector);
    return vector;
  };
}

export interface SteeredTraceOptions {
  /** Number of sampled tokens; forced tokens come in addition. */
  readonly tokens?: number;
  readonly hiddenSize?: number;
}

export function steeredTrace({ tokens = 60, hiddenSize = 16 }: SteeredTraceOptions = {}): Trace {
  const random = seededRandom(11);
  const vector = vectorsOf(random, hiddenSize);
  const model = { ...requestRecord().model, layers: { layerCount: 30, hiddenSize } };
  const builder = createTraceBuilder(requestRecord({ mods, model, onModError: "continue" }));
  const steer = (scale: number): TraceAction => ({
    type: "steer",
    vectors: [{ layer: 12, scale, vector: vector(3_000_000_001) }],
  });
  builder.prefill(pieceTokens("Once upon a time"));
  const answers: Readonly<Record<number, (builder: TraceBuilder) => void>> = {
    8: () => builder.call(0, "added", steer(2), { line: 8 }),
    14: () => {
      const layers = [3, 10, 14].map((layer, place) => ({
        layer,
        scale: place === 1 ? -0.5 : 1,
        vector: vector(17 + (place % 2)),
      }));
      builder.call(1, "added", { type: "steer", vectors: layers }, { line: 9 });
    },
    18: () => builder.call(2, "added", patchWith(20, vector(99)), { superseded: true, line: 4 }),
    22: () => removeTwo(builder),
    26: () => builder.call(1, "added", steerNoMore, { line: 12 }),
    30: () => builder.call(3, "added", { ...steer(0.25) }, { line: 7 }),
    34: () => {
      const message = "Error: the vector has 2 numbers, and the model's hidden size is 16";
      builder.call(3, "added", { type: "noop" }, { fault: fault("invalid-action", message, 8) });
    },
    40: () => builder.call(0, "added", steerNoMore, { line: 11 }),
    46: () => builder.call(2, "added", patchWith(20, vector(99)), { line: 4 }),
  };
  for (const [place, token] of pieceTokens(story).slice(0, tokens).entries()) {
    const { entropy, top, logprob } = randomDistribution(random, token);
    builder.forward({ entropy, top }, builder.unread);
    const isEdited = place % 17 === 16;
    if (isEdited) {
      builder.call(1, "forwardPass", banOfOne);
      builder.adjust({ entropy, top });
    }
    builder.sample(token, { logprobBefore: logprob, logprobAfter: logprob, draw: random() });
    builder.add([token], "sampled");
    answers[place]?.(builder);
  }
  return builder.finish("length");
}

function removeTwo(builder: TraceBuilder): void {
  const put = pieceTokens(" the bird");
  const tokens = put.map(({ token }) => token);
  builder.call(1, "added", { type: "backtrack", count: 2, tokens, text: " the bird", cut: 0 });
  builder.backtrack(1, 2, put.length);
  builder.add(put, "reinjected", { mod: 1 });
}
