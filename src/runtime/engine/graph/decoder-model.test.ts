import { expect, test } from "vitest";
import { ModelDeadError } from "../../../core/decoder/ports/language-model.ts";
import type { DecoderGraph } from "../onnx/decoder-graph.ts";
import { createDecoderModel } from "./decoder-model.ts";
import type { GraphPass, GraphRunner } from "./graph-runner.ts";

const graph: DecoderGraph = {
  vocabularySize: 4,
  logitsType: "float32",
  attentionMask: true,
  positionIds: false,
  rowsToKeepShape: null,
  integerTypes: {},
  cacheKind: "shared-cache",
  caches: [],
  states: [],
  contextLength: 100,
};

/** A device whose memory and life span the test controls. wasm-runner.test.ts and e2e/webgpu test real ones. */
function runner(parts: Partial<GraphRunner> = {}): GraphRunner {
  return {
    graph,
    cacheRows: 8,
    cacheBytes: 0,
    cacheBytesAt: () => 0,
    rewind: (length) => length,
    maxCacheRows: 100,
    promptPassTokens: 32,
    grow: () => undefined,
    run: ({ rows }: GraphPass) => new Float32Array(rows * graph.vocabularySize),
    lost: null,
    dispose: async () => undefined,
    ...parts,
  };
}

const options = { endOfSequence: [0] };

test("no memory for a larger cache leaves the model as it was", async () => {
  const full = new RangeError("no room");
  const grow = () => Promise.reject(full);
  const model = createDecoderModel(runner({ grow }), options);
  await model.forward([1, 2, 3]);
  await expect(model.forward([1, 2, 3, 1, 2, 3])).rejects.toBe(full);
  expect(model.length).toBe(3);
  expect(await model.forward([1, 2, 3, 1, 2])).toHaveLength(4);
});

test("any other failure while the cache grows is the model's end", async () => {
  const grow = () => Promise.reject(new Error("broken"));
  const model = createDecoderModel(runner({ grow }), options);
  await expect(model.forward(new Array<number>(9).fill(1))).rejects.toThrow(ModelDeadError);
  await expect(model.forward([1])).rejects.toThrow("broken");
});

test("a memory error inside a run is the model's end: the cache may hold half a pass", async () => {
  const run = () => {
    throw new RangeError("Array buffer allocation failed");
  };
  const model = createDecoderModel(runner({ run }), options);
  await expect(model.forward([1])).rejects.toThrow(ModelDeadError);
});

test.each(["run", "grow"] as const)(
  "a device lost during %s ends the call though the runtime never answers",
  async (what) => {
    let lose: (error: Error) => void = () => undefined;
    const lost = new Promise<Error>((resolve) => {
      lose = resolve;
    });
    const never = () => new Promise<never>(() => undefined);
    const model = createDecoderModel(runner({ lost, [what]: never }), options);
    const pass = model.forward(new Array<number>(9).fill(1));
    lose(new Error("The device was lost."));
    await expect(pass).rejects.toThrow(ModelDeadError);
    await expect(model.forward([1])).rejects.toThrow("The device was lost.");
  },
);

test.each([
  ["told a moment later is the reason", new Error("The device was lost."), /^The device was lost/],
  ["that never comes leaves the error as it is", null, /^Buffer was unmapped/],
])("a failing pass: a loss %s", async (_, loss, reason) => {
  let lose: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => {
    lose = resolve;
  });
  const run = () => Promise.reject(new Error("Buffer was unmapped before mapping was resolved."));
  const model = createDecoderModel(runner({ lost, run }), options);
  const pass = model.forward([1]);
  if (loss) setTimeout(lose, 20, loss);
  await expect(pass).rejects.toThrow(reason);
  await expect(model.forward([1])).rejects.toThrow(reason);
});

test("the cache doubles, up to the capacity", async () => {
  let rows = 8;
  const asked: number[] = [];
  const growing: GraphRunner = {
    ...runner(),
    get cacheRows() {
      return rows;
    },
    grow(wanted) {
      asked.push(wanted);
      rows = wanted;
    },
  };
  const model = createDecoderModel(growing, options);
  for (const count of [8, 1, 30, 61]) await model.forward(new Array<number>(count).fill(1));
  expect(asked).toEqual([16, 64, 100]);
});

test("a long span is cut into passes of equal length, and rows are gathered over them", async () => {
  const passes: string[] = [];
  const run = ({ start, end, past, rows }: GraphPass) => {
    passes.push(`${start}-${end} past ${past} rows ${rows}`);
    return new Float32Array(rows * graph.vocabularySize);
  };
  const model = createDecoderModel(runner({ run, cacheRows: 100 }), { ...options, passTokens: 31 });
  expect(await model.forward(new Array<number>(70).fill(1), 10)).toHaveLength(40);
  expect(passes).toEqual(["0-31 past 0 rows 0", "31-62 past 31 rows 2", "62-70 past 62 rows 8"]);
});

test("tokens that a cut left uncomputed go into the next pass, and many of them into one of their own", async () => {
  const passes: string[] = [];
  // As in a state cache: one state at the end of each pass, and one for the empty text.
  let states = [0];
  const run = ({ tokens, start, end, past, rows }: GraphPass) => {
    states = [...states.filter((length) => length <= past), past + end - start];
    passes.push(`${past}: ${tokens.slice(start, end)} (${rows})`);
    return new Float32Array(rows * graph.vocabularySize);
  };
  const rewind = (length: number) => Math.max(...states.filter((each) => each <= length));
  const model = createDecoderModel(runner({ run, rewind, cacheRows: 100 }), options);
  await model.forward([1, 2, 3]);
  await model.forward([0, 1]);
  model.truncate(4);
  await model.forward([2, 2], 2);
  expect(model.length).toBe(6);
  model.truncate(2);
  await model.forward([3]);
  expect(passes).toEqual(["0: 1,2,3 (1)", "3: 0,1 (1)", "3: 0,2,2 (2)", "0: 1,2,3 (1)"]);
  passes.length = 0;
  model.truncate(0);
  await model.forward(new Array<number>(40).fill(1));
  for (const token of [2, 3]) {
    model.truncate(35);
    await model.forward([token]);
  }
  const ones = (count: number) => new Array<number>(count).fill(1);
  expect(passes).toEqual([`0: ${ones(40)} (1)`, `0: ${ones(35)} (0)`, "35: 2 (1)", "35: 3 (1)"]);
});
