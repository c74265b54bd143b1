import { describe, expect, test } from "vitest";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { steeredTrace } from "../../../core/trace/testing/steered-trace.ts";
import {
  banOfOne,
  createTraceBuilder,
  fault,
  requestRecord,
} from "../../../core/trace/testing/trace-builder.ts";
import { describeSpan } from "./span-labels.ts";
import { axisLimits, formatTick, tokenAtValue, tokensIn } from "./track-axis.ts";
import { type AxisScale, type Lane, type LaneBlock, lanesOf, visitLaneBlocks } from "./track-lanes.ts";

const word = (text: string) => ({ token: 1, text });
const distribution = { entropy: 1, top: [] };
const mods = [
  { name: "no-tom", source: "" },
  { name: "quiet", source: "" },
];

/** " a| b| c" of which " b| c" are removed for " B| C"; then " d", adjusted; then " e| f", forced; then an error of the second mod. */
function storyRecords(): readonly TraceRecord[] {
  const builder = createTraceBuilder(requestRecord({ mods, maxTokens: 40 }));
  builder.prefill([word("Once"), word(" upon")]);
  builder.forward(null, 1);
  builder.forward(distribution, 1);
  for (const text of [" a", " b", " c"]) {
    builder.sample(word(text), {});
    builder.add([word(text)], "sampled");
    if (text !== " c") builder.forward(distribution);
  }
  builder.call(0, "added", { type: "backtrack", count: 2, tokens: [1, 1], text: " B C", cut: 0 });
  builder.backtrack(0, 2, 2);
  builder.add([word(" B"), word(" C")], "reinjected", { mod: 0 });
  builder.forward(distribution, 3);
  builder.call(0, "forwardPass", banOfOne);
  builder.call(1, "forwardPass");
  builder.adjust(distribution);
  builder.sample(word(" d"), { counterfactual: word(" x") });
  builder.add([word(" d")], "sampled");
  builder.call(0, "added", { type: "forceTokens", tokens: [1, 1], text: " e f", cut: 0 });
  builder.add([word(" e"), word(" f")], "forced", { mod: 0 });
  builder.call(1, "added", { type: "noop" }, { fault: fault("threw", "boom", 3) });
  return builder.finish("length").records;
}

function modelOf(records: readonly TraceRecord[], leftOut: Parameters<typeof createTraceModel>[0] = []) {
  const trace = createTraceModel(leftOut);
  trace.append(records);
  return trace;
}

function blocksOf(trace: TraceModel, kind: Lane["kind"], scale: AxisScale, mod = 0): LaneBlock[] {
  const lane = lanesOf(trace).find((each) => each.kind === kind && each.mod === mod);
  const found: LaneBlock[] = [];
  if (lane) visitLaneBlocks(trace, lane, scale, (block) => found.push({ ...block }));
  return found;
}

const byToken = { axis: "tokens", view: { from: 0, to: 8 }, width: 800 } as const;
const looksOf = (blocks: readonly LaneBlock[]) =>
  blocks.map(({ look, left, width }) => `${look} ${Math.round(left)}+${Math.round(width)}`);

describe("by token", () => {
  const trace = modelOf(storyRecords());

  test("a lane for the model, the sampler, each mod and the output", () => {
    expect(lanesOf(trace).map(({ name }) => name)).toEqual([
      "Model",
      "Sampling",
      "no-tom",
      "quiet",
      "Output",
    ]);
  });

  test.each<[Lane["kind"], number, string[]]>([
    ["passes", 0, ["prompt 0+50", "prompt 50+50", "pass 100+100", "pass 200+100", "pass 500+100"]],
    ["sampling", 0, ["sampling 0+100", "sampling 100+100", "sampling 200+100", "sampling 500+100"]],
    ["mod", 0, ["removed 200+100", "adjusted 500+50", "forced 550+50"]],
    ["mod", 1, ["silent 500+100", "fault 700+100"]],
    [
      "output",
      0,
      [
        ...[
          "sampled 0+100",
          "removed 100+100",
          "removed 200+100",
          "reinjected 300+100",
          "reinjected 400+100",
        ],
        ...["adjusted 500+100", "forced 600+100", "forced 700+100"],
      ],
    ],
  ])("%s %i", (kind, mod, expected) =>
    expect(looksOf(blocksOf(trace, kind, byToken, mod))).toEqual(expected),
  );

  test("what a mod put there or removed at once belongs together", () => {
    const together = blocksOf(trace, "output", byToken).map(({ continuesPrevious }) => continuesPrevious);
    expect(together).toEqual([false, false, true, false, true, false, false, true]);
  });

  test("only what is in view is given", () => {
    const scale = { ...byToken, view: { from: 4, to: 6 }, width: 200 };
    expect(looksOf(blocksOf(trace, "passes", scale))).toEqual(["pass 100+100"]);
    expect(looksOf(blocksOf(trace, "output", scale))).toEqual([
      "reinjected 0+100",
      "adjusted 100+100",
      "forced 200+100",
    ]);
  });

  test("blocks are as high as they took long, the longest of them all of the lane; the prompt's do not count", () => {
    const shares = blocksOf(trace, "passes", byToken).map(({ share }) => share);
    expect(shares.slice(0, 2).every((share) => share <= 1)).toBe(true);
    expect(Math.max(...shares.slice(2))).toBe(1);
  });

  test("without times, all are as high as the lane", () => {
    const untimed = modelOf(storyRecords(), ["timings"]);
    for (const kind of ["passes", "sampling", "mod", "output"] as const)
      expect(blocksOf(untimed, kind, byToken).map(({ share }) => share)).toEqual(
        blocksOf(untimed, kind, byToken).map(() => 1),
      );
  });

  test("narrow blocks stand together in columns of a px, which look as the most telling of them", () => {
    const columns = blocksOf(trace, "output", { ...byToken, width: 4 });
    expect(columns.map(({ look, left, width, count, item }) => ({ look, left, width, count, item }))).toEqual(
      [
        { look: "removed", left: 0, width: 1, count: 2, item: 1 },
        { look: "removed", left: 1, width: 1, count: 2, item: 2 },
        { look: "reinjected", left: 2, width: 1, count: 2, item: 4 },
        { look: "forced", left: 3, width: 1, count: 2, item: 6 },
      ],
    );
  });
});

describe("by time", () => {
  const trace = modelOf(sampleTrace({ tokens: 300 }).records);
  const { length } = axisLimits(trace, "time", false);
  const width = 400;

  test("columns are as high as the part of their time in which something went on", () => {
    const scale = { axis: "time", view: { from: 0, to: length }, width } as const;
    const busyPx = blocksOf(trace, "passes", scale).reduce(
      (sum, block) => sum + block.width * block.share,
      0,
    );
    expect(busyPx * (length / width)).toBeCloseTo(trace.totals.forwardUs, -3);
  });

  test("however far out, a lane has no more blocks than px", () => {
    for (const { kind, mod } of lanesOf(trace)) {
      const scale = { axis: "time", view: { from: 0, to: length }, width } as const;
      expect(blocksOf(trace, kind, scale, mod).length).toBeLessThanOrEqual(width + 1);
      expect(
        blocksOf(trace, kind, { ...scale, axis: "tokens", view: { from: 0, to: 1000 } }, mod).length,
      ).toBeLessThanOrEqual(width + 1);
    }
  });

  test("each token stands where it was made", () => {
    const scale = { axis: "time", view: { from: 0, to: length }, width: 1e6 } as const;
    for (const { item, left, width: wide } of blocksOf(trace, "output", scale)) {
      expect(tokenAtValue(trace, "time", ((left + wide / 2) / 1e6) * length)).toBe(item);
    }
  });
});

test("the axis of a run that goes on is as long as it may get, or round", () => {
  const trace = modelOf(storyRecords());
  expect(axisLimits(trace, "tokens", true).length).toBe(40);
  expect(axisLimits(trace, "tokens", false).length).toBe(8);
  expect(axisLimits(trace, "time", true).length).toBe(5_000);
  expect(axisLimits(createTraceModel(), "time", true).length).toBe(1);
});

test.each([
  ["tokens", { from: 2.5, to: 4.2 }, { first: 2, end: 5 }],
  ["tokens", { from: 0, to: 40 }, { first: 0, end: 8 }],
  ["time", { from: 0, to: 1 }, { first: 0, end: 1 }],
  ["time", { from: 0, to: 1e9 }, { first: 0, end: 8 }],
] as const)("by %s, %o shows the tokens %o", (axis, view, tokens) => {
  expect(tokensIn(modelOf(storyRecords()), axis, view)).toEqual(tokens);
});

test.each([
  ["tokens", 1200, 100, "1,200"],
  ["time", 20_000, 5_000, "20 ms"],
  ["time", 20_250, 50, "20.25 ms"],
  ["time", 1_500_000, 500_000, "1.5 s"],
  ["time", 3_000_000, 1_000_000, "3 s"],
] as const)("a mark of %s at %i, every %i, says %s", (axis, value, step, text) => {
  expect(formatTick(axis, value, step)).toBe(text);
});

test.each<[Lane["kind"], number, number, string, string | null]>([
  ["passes", 0, 0, "Prompt: 1 token read", "0.74 ms"],
  ["passes", 0, 4, "Forward pass for token 6: 3 tokens read", "0.87 ms"],
  ["sampling", 0, 3, "Sampling for token 6: “ d”", "0.02 ms"],
  ["mod", 0, 0, "no-tom in added(): removed 2 tokens, put “ B C” in their place", "0.14 ms"],
  ["mod", 1, 0, "quiet in forwardPass(): no reply", "0.10 ms"],
  ["mod", 1, 1, "quiet in added(): threw: boom", "0.14 ms"],
  ["output", 0, 5, "token 6 of 8, adjusted by no-tom, “ d”, 90%, would have been “ x”", null],
])("%s %i, block %i: %s", (kind, mod, item, what, took) => {
  const trace = modelOf(storyRecords());
  const lane = lanesOf(trace).find((each) => each.kind === kind && each.mod === mod);
  if (!lane) throw new Error(`No lane ${kind} ${mod}.`);
  expect(describeSpan(trace, lane, item)).toMatchObject({ what, took });
  expect(describeSpan(modelOf(storyRecords(), ["timings"]), lane, item)).toMatchObject({
    took: null,
    at: null,
  });
});

test("calls that steer, and tokens chosen while mods steered, have a look of their own", () => {
  const trace = modelOf(steeredTrace().records);
  const scale: AxisScale = { axis: "tokens", view: { from: 0, to: trace.tokens.text.length }, width: 4_000 };
  const calls = blocksOf(trace, "mod", scale, 0).map(({ look }) => look);
  expect(calls).toEqual(["steered", "steered"]);
  expect(blocksOf(trace, "mod", scale, 3).map(({ look }) => look)).toEqual(["steered", "fault"]);
  const looks = blocksOf(trace, "output", scale).map(({ look }) => look);
  const { steered, removedBy, kind } = trace.tokens;
  expect(looks.map((look) => look === "steered")).toEqual(
    steered.map(
      (by, index) =>
        by !== null && removedBy[index] === -1 && (kind[index] === "sampled" || kind[index] === "adjusted"),
    ),
  );
});
