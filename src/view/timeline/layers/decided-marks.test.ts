/** How the text shows at which layer each word was decided. */
import { expect, test } from "vitest";
import type { TraceLayerSays } from "../../../core/trace/format/format-layers.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder } from "../../../core/trace/testing/trace-builder.ts";
import { decidedLayerMark, layerBandIndex, layerBandsOf, withMark } from "./decided-marks.ts";

test.each<[number, readonly (readonly [number, number])[]]>([
  [
    30,
    [
      [29, 29],
      [28, 28],
      [26, 27],
      [22, 25],
      [0, 21],
    ],
  ],
  [
    5,
    [
      [4, 4],
      [3, 3],
      [1, 2],
      [0, 0],
    ],
  ],
  [
    2,
    [
      [1, 1],
      [0, 0],
    ],
  ],
  [1, [[0, 0]]],
  [
    8,
    [
      [7, 7],
      [6, 6],
      [4, 5],
      [0, 3],
    ],
  ],
])("%i layers have their bands from the last one down", (count, expected) => {
  expect(layerBandsOf(count)).toEqual(expected.map(([from, to]) => ({ from, to })));
  for (let layer = 0; layer < count; layer += 1) {
    const band = layerBandsOf(count)[layerBandIndex(layer, count)];
    expect(layer >= (band?.from ?? count) && layer <= (band?.to ?? -1)).toBe(true);
  }
});

const layersOf = (firsts: readonly number[], rank: number): readonly TraceLayerSays[] =>
  firsts.map((token, layer) => ({
    layer,
    top: [{ token, text: `t${token}`, logprob: -1 }],
    entropy: 1,
    token: { rank, logprob: -1 },
  }));

function run() {
  const builder = createTraceBuilder();
  builder.prefill([{ token: 1, text: "a" }]);
  builder.add([{ token: 5, text: "b" }], "sampled");
  builder.add([{ token: 5, text: "c" }], "forced");
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  return trace;
}

test.each<[number, readonly number[], string, string, string | undefined]>([
  [0, [1, 2, 5, 5, 5], "decided-2", "decided at layer 2 (0 to 4)", "2"],
  [0, [1, 2, 3, 4, 5], "decided-0", "decided at layer 4 (0 to 4)", "4"],
  [
    0,
    [5, 5, 5, 5, 6],
    "decided-drawn",
    "drawn at rank 4, although the last layer ranks another token first",
    undefined,
  ],
  [1, [1, 2, 5, 5, 5], "decided-put", "put here by a mod, so no layer decided it", undefined],
])("token %i whose layers say %j is marked", (index, firsts, className, words, note) => {
  const { says, ...mark } = decidedLayerMark(run(), index, layersOf(firsts, 3));
  expect(mark).toEqual({ className });
  expect(says["aria-label"]).toMatch(/^token \d of 2, .*“[bc]”, /);
  expect(says["aria-label"].endsWith(`, ${words}`)).toBe(true);
  expect(says.title).toBe(says["aria-label"]);
  expect(says["data-note"]).toBe(note);
});

test("a mark changes its own chunk alone", () => {
  const mark = { className: "decided-0", says: { "aria-label": "", title: "" } };
  const first = withMark(withMark(new Map(), 3, mark), 50, mark);
  const second = withMark(first, 60, mark);
  expect(second.get(0)).toBe(first.get(0));
  expect(second.get(48)).not.toBe(first.get(48));
  expect([...(second.get(48)?.keys() ?? [])]).toEqual([50, 60]);
});
