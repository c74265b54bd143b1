/**
 * The vectors under which each token was computed: in hand-written runs, and in random runs compared with an array that has an
 * entry for each place.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TraceAction, TraceDistribution } from "../format/format.ts";
import { createTraceBuilder, fault, requestRecord, type TraceBuilder } from "../testing/trace-builder.ts";
import { patchWith, steerBy, steerNoMore, vectorAgain, vectorWith } from "../testing/vectors.ts";
import { type SteeredSpans, steeredSpansAtRecord, steeredSpansBefore } from "./steered-rows.ts";
import { createTraceModel } from "./trace-model.ts";

const distribution: TraceDistribution = { entropy: 1, top: [] };
const id = (token: number) => ({ token, text: `t${token}` });
const mods = ["one", "two", "three"].map((name) => ({ name, source: "" }));
const one = vectorWith(1, [1, 0]);
const two = vectorWith(2, [0, 2]);

/** Adds a forward pass over all tokens that were not computed yet. */
function pass(builder: TraceBuilder): void {
  builder.forward(distribution, builder.unread);
}

function sampled(builder: TraceBuilder): void {
  builder.add([id(9)], "sampled");
  pass(builder);
}

/** Describes the spans: `0-3 layer 1 × 2 by 1,0`. */
function words(rows: SteeredSpans): readonly string[] {
  if (rows.spans === null) return [`missing ${rows.missing.join(" ")}`];
  return rows.spans.map(({ from, to, vectors, patches }) =>
    [
      `${from}-${to}`,
      ...vectors.map(({ layer, scale, vector }) => `${layer}: ${scale} × ${[...vector]}`),
      ...patches.map(({ layer, vector }) => `${layer} = ${[...vector]}`),
    ].join(", "),
  );
}

test.each<[string, (builder: TraceBuilder) => void, readonly string[]]>([
  ["nothing steered", (builder) => pass(builder), []],
  [
    "from the prompt on, and no more",
    (builder) => {
      builder.call(0, "prefilled", steerBy(1, one, 2));
      pass(builder);
      sampled(builder);
      builder.call(0, "sampled", steerNoMore);
      sampled(builder);
    },
    ["0-4, 1: 2 × 1,0"],
  ],
  [
    "a mod's next steering takes the place of its last, and two mods' add up",
    (builder) => {
      builder.call(0, "prefilled", steerBy(1, one));
      pass(builder);
      builder.call(1, "added", steerBy(1, two, -1));
      sampled(builder);
      builder.call(0, "added", steerBy(0, vectorAgain(one), 3));
      sampled(builder);
    },
    ["0-3, 1: 1 × 1,0", "3-4, 1: 1 × 1,0, 1: -1 × 0,2", "4-5, 0: 3 × 1,0, 1: -1 × 0,2"],
  ],
  [
    "an answer that came second counts all the same",
    (builder) => {
      builder.call(0, "added", steerBy(1, one), { superseded: true });
      pass(builder);
    },
    ["0-3, 1: 1 × 1,0"],
  ],
  [
    "a mod that fails stops steering",
    (builder) => {
      builder.call(0, "prefilled", steerBy(1, one));
      builder.call(1, "prefilled", steerBy(0, two));
      pass(builder);
      builder.call(0, "added", steerNoMore, { fault: fault("threw", "Error: no") });
      sampled(builder);
    },
    ["0-3, 1: 1 × 1,0, 0: 1 × 0,2", "3-4, 0: 1 × 0,2"],
  ],
  [
    "a refused answer steers nothing",
    (builder) => {
      builder.call(0, "prefilled", steerBy(1, one), { fault: fault("invalid-action", "layer 1") });
      pass(builder);
    },
    [],
  ],
  [
    "what is taken back and computed anew follows what steers then",
    (builder) => {
      pass(builder);
      builder.call(0, "added", steerBy(1, one));
      sampled(builder);
      sampled(builder);
      sampled(builder);
      builder.call(0, "added", steerBy(1, vectorAgain(one), -1));
      builder.backtrack(0, 2, 1);
      builder.add([id(5)], "reinjected");
      sampled(builder);
    },
    ["3-4, 1: 1 × 1,0", "4-6, 1: -1 × 1,0"],
  ],
  [
    "a patch holds at the last token of the next pass, also where that was computed before",
    (builder) => {
      pass(builder);
      sampled(builder);
      builder.backtrack(0, 1, 0);
      builder.call(0, "backtracked", patchWith(1, two));
      pass(builder);
      builder.add([id(5), id(6)], "forced");
      pass(builder);
      sampled(builder);
    },
    ["2-3, 1 = 0,2"],
  ],
  [
    "a token that is patched twice has both, and what steered it",
    (builder) => {
      builder.call(0, "prefilled", steerBy(1, one));
      builder.call(0, "prefilled", patchWith(1, two));
      pass(builder);
      builder.call(0, "forwardPass", steerNoMore);
      sampled(builder);
      builder.backtrack(0, 1, 0);
      builder.call(0, "backtracked", patchWith(0, vectorAgain(one)));
      pass(builder);
    },
    ["0-2, 1: 1 × 1,0", "2-3, 1: 1 × 1,0, 0 = 1,0, 1 = 0,2"],
  ],
  [
    "a prompt in several passes is patched at its last token",
    (builder) => {
      builder.call(0, "prefilled", patchWith(1, one));
      builder.forward(null, 2);
      builder.forward(distribution, 1);
    },
    ["2-3, 1 = 1,0"],
  ],
  [
    "of several patches of a layer the last one holds, over what is steered",
    (builder) => {
      builder.call(0, "prefilled", steerBy(0, one));
      builder.call(1, "prefilled", patchWith(1, two));
      builder.call(2, "prefilled", patchWith(1, vectorAgain(one)));
      builder.call(2, "prefilled", patchWith(0, vectorAgain(two)));
      pass(builder);
      sampled(builder);
    },
    ["0-2, 0: 1 × 1,0", "2-3, 0: 1 × 1,0, 0 = 0,2, 1 = 1,0", "3-4, 0: 1 × 1,0"],
  ],
  [
    "without the numbers of a vector",
    (builder) => {
      builder.call(0, "prefilled", steerBy(1, vectorAgain(one)));
      builder.call(1, "prefilled", steerBy(1, two));
      pass(builder);
    },
    ["missing 1"],
  ],
])("%s", (_what, act, expected) => {
  const builder = createTraceBuilder(requestRecord({ mods }));
  builder.prefill([id(1), id(2), id(3)]);
  act(builder);
  expect(words(steeredSpansAtRecord(builder.records, builder.records.length - 1))).toEqual(expected);
});

test("after a branch nothing steers but what mods say from then on", () => {
  const branch = {
    requestId: "before",
    index: 1,
    isChosen: false,
    caughtUp: 6,
    parentMods: 1,
    difference: null,
  };
  const builder = createTraceBuilder(requestRecord({ mods, branch }));
  builder.call(2, "prefilled", steerBy(1, one));
  builder.prefill([id(1), id(2), id(3)]);
  pass(builder);
  builder.call(2, "sampled", patchWith(1, two));
  builder.add([id(9)], "sampled");
  expect(builder.records).toHaveLength(branch.caughtUp);
  pass(builder);
  builder.call(0, "added", steerBy(0, vectorAgain(one)));
  sampled(builder);
  expect(words(steeredSpansAtRecord(builder.records, builder.records.length - 1))).toEqual([
    "0-3, 1: 1 × 1,0",
    "4-5, 0: 1 × 1,0",
  ]);
});

test("of a token: what was computed before it, of a forced one as it was read", () => {
  const builder = createTraceBuilder(requestRecord({ mods }));
  builder.prefill([id(1), id(2), id(3)]);
  pass(builder);
  builder.add([id(4)], "sampled");
  builder.call(0, "added", steerBy(1, one));
  builder.add([id(5), id(6)], "forced");
  pass(builder);
  builder.score(1, [-1, -1], [distribution, distribution]);
  builder.add([id(7)], "sampled");
  const model = createTraceModel();
  model.append(builder.records);
  const at = (index: number) => words(steeredSpansBefore(model, index, 3));
  expect([0, 1, 2, 3].map(at)).toEqual([[], ["3-4, 1: 1 × 1,0"], ["3-5, 1: 1 × 1,0"], ["3-6, 1: 1 × 1,0"]]);
});

type Step =
  | { readonly what: "steer"; readonly mod: number; readonly layer: number; readonly scale: number }
  | { readonly what: "stop" | "fail" | "patch"; readonly mod: number; readonly layer: number }
  | { readonly what: "write" | "remove"; readonly count: number }
  | { readonly what: "pass" };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      what: fc.constant("steer" as const),
      mod: fc.nat({ max: 2 }),
      layer: fc.nat({ max: 1 }),
      scale: fc.integer({ min: -2, max: 2 }),
    }),
    fc.record({
      what: fc.constantFrom("stop" as const, "fail" as const, "patch" as const),
      mod: fc.nat({ max: 2 }),
      layer: fc.nat({ max: 1 }),
    }),
    fc.record({ what: fc.constantFrom("write" as const, "remove" as const), count: fc.nat({ max: 3 }) }),
    fc.record({ what: fc.constant("pass" as const) }),
    fc.record({ what: fc.constant("pass" as const) }),
  ),
  { minLength: 15, maxLength: 40 },
);

/** A simple reference: it stores the vectors and patches of each place. */
class Naive {
  readonly byMod: string[][] = [[], [], []];
  /** Mods in the order in which they first steered. */
  readonly order: number[] = [];
  /** By layer. */
  patches = new Map<number, string>();
  readonly places: { readonly vectors: string; readonly patches: Map<number, string> }[] = [];

  get under(): string[] {
    return this.places.map(({ vectors, patches }) =>
      [vectors, ...[...patches].sort().map(([, words]) => words)].filter((words) => words !== "").join(", "),
    );
  }

  steer(mod: number, what: readonly string[]): void {
    if (!this.order.includes(mod)) this.order.push(mod);
    this.byMod[mod] = [...what];
  }

  /** Computes the text up to `length` tokens. */
  compute(length: number): void {
    const vectors = this.order.flatMap((mod) => this.byMod[mod] ?? []);
    while (this.places.length < length) this.places.push({ vectors: vectors.join(", "), patches: new Map() });
    for (const [layer, words] of this.patches) this.places.at(-1)?.patches.set(layer, words);
    this.patches = new Map();
  }
}

test("is what an entry for each place says, for any run", () => {
  let [steered, patched, removed] = [0, 0, 0];
  fc.assert(
    fc.property(steps, (all) => {
      const builder = createTraceBuilder(requestRecord({ mods }));
      const naive = new Naive();
      builder.prefill([id(1), id(2), id(3)]);
      const seen = new Set<number>();
      const vector = (layer: number) => {
        const own = vectorWith(layer + 1, [layer, 1]);
        const again = seen.has(own.digest);
        seen.add(own.digest);
        return again ? vectorAgain(own) : own;
      };
      for (const step of all) {
        const call = (mod: number, action: TraceAction, extra = {}) =>
          builder.call(mod, "added", action, extra);
        if (step.what === "steer") {
          call(step.mod, steerBy(step.layer, vector(step.layer), step.scale));
          naive.steer(step.mod, [`${step.layer}: ${step.scale} × ${step.layer},1`]);
        } else if (step.what === "stop" || step.what === "fail") {
          call(step.mod, steerNoMore, step.what === "fail" ? { fault: fault("threw", "Error: no") } : {});
          naive.steer(step.mod, []);
        } else if (step.what === "patch") {
          call(step.mod, patchWith(step.layer, vector(step.layer)));
          const words = `${step.layer} = ${step.layer},1`;
          naive.patches.set(step.layer, words);
        } else if (step.what === "write" && step.count > 0) {
          builder.add(
            Array.from({ length: step.count }, () => id(7)),
            "forced",
          );
        } else if (step.what === "remove" && step.count <= builder.step) {
          builder.backtrack(0, step.count, 0);
          naive.places.length = Math.min(naive.places.length, 3 + builder.step);
          removed += step.count;
        } else if (step.what === "pass") {
          pass(builder);
          naive.compute(3 + builder.step);
        }
      }
      const rows = steeredSpansAtRecord(builder.records, builder.records.length - 1);
      if (rows.spans === null) throw new Error("The vectors have their numbers.");
      const under = naive.under.map(() => "");
      for (const { from, to, vectors, patches } of rows.spans) {
        const steeredBy = vectors.map(({ layer, scale, vector }) => `${layer}: ${scale} × ${[...vector]}`);
        for (let place = from; place < to; place += 1) {
          const own = place === to - 1 ? patches.map(({ layer, vector }) => `${layer} = ${[...vector]}`) : [];
          under[place] = [...steeredBy, ...own].join(", ");
          steered += steeredBy.length;
          patched += own.length;
        }
      }
      expect(under).toEqual(naive.under);
    }),
    { numRuns: 300 },
  );
  expect(Math.min(steered, patched, removed)).toBeGreaterThan(100);
});

test("what a branch reads again stays what it was", () => {
  const builder = createTraceBuilder(requestRecord({ mods }));
  builder.call(0, "prefilled", steerBy(0, one));
  builder.prefill([id(1), id(2), id(3)]);
  pass(builder);
  builder.call(0, "forwardPass", steerNoMore);
  sampled(builder);
  pass(builder);
  builder.forward(null, 1);
  sampled(builder);
  pass(builder);
  expect(words(steeredSpansAtRecord(builder.records, builder.records.length - 1))).toEqual([
    "0-3, 0: 1 × 1,0",
  ]);
});
