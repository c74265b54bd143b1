import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeModel, parseModel } from "./codec.ts";
import { makeNode, makeTensor } from "./make.ts";
import { elementType, type Model } from "./model.ts";
import { OnnxFormatError, WireWriter, wireTypes } from "./wire.ts";

const bundled = ["model.onnx", "model_q4.onnx"].map((file) => `public/models/stories260k/onnx/${file}`);
const small = new Uint8Array(readFileSync("public/models/stories260k/onnx/model_q4.onnx"));

describe("whole files", () => {
  test.each(bundled)("%s comes back byte for byte", (path) => {
    const bytes = readFileSync(path);
    expect(bytes.equals(encodeModel(parseModel(bytes)))).toBe(true);
  });

  test("weights are views of the file, not copies", () => {
    const weights = parseModel(small).graph?.initializer ?? [];
    expect(weights.length).toBeGreaterThan(50);
    expect(weights.every(({ rawData }) => rawData?.buffer === small.buffer)).toBe(true);
  });
});

/** Models that use every field, extreme values included. */
const text = fc.option(fc.string({ unit: "binary", maxLength: 8 }), { nil: undefined });
const payload = fc.uint8Array({ maxLength: 100 });
const optionalPayload = fc.option(payload, { nil: undefined });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const size = fc.integer({ min: -(2 ** 40), max: 2 ** 40 });
const float = fc.float();
const entry = fc.record({ key: text, value: text });
/** Unlisted fields: number 1000 as a varint, a span and a fixed32. */
const unknown = fc.option(
  fc.subarray(
    [Uint8Array.of(0xc0, 0x3e, 7), Uint8Array.of(0xc2, 0x3e, 2, 1, 2), Uint8Array.of(0xc5, 0x3e, 1, 2, 3, 4)],
    {
      minLength: 1,
    },
  ),
  { nil: undefined },
);

const tensor = fc.record({
  dims: fc.array(size, { maxLength: 4 }),
  dataType: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
  floatData: optionalPayload,
  int32Data: optionalPayload,
  stringData: fc.array(payload, { maxLength: 2 }),
  int64Data: optionalPayload,
  name: text,
  rawData: optionalPayload,
  doubleData: optionalPayload,
  uint64Data: optionalPayload,
  docString: text,
  externalData: fc.array(entry, { maxLength: 2 }),
  dataLocation: fc.option(fc.constantFrom(0, 1), { nil: undefined }),
  unknown,
});
const valueInfo = fc.record({
  name: text,
  type: fc.option(
    fc.record({
      tensor: fc.record({
        elementType: fc.integer({ min: 0, max: 30 }),
        shape: fc.record({
          dims: fc.array(fc.oneof(fc.record({ value: size }), fc.record({ symbol: text })), { maxLength: 3 }),
        }),
      }),
      unknown,
    }),
    { nil: undefined },
  ),
});
const { graph } = fc.letrec((tie) => ({
  attribute: fc.record({
    name: text,
    f: fc.option(float, { nil: undefined }),
    i: fc.option(int64, { nil: undefined }),
    s: optionalPayload,
    t: fc.option(tensor, { nil: undefined }),
    g: fc.option(tie("graph"), { nil: undefined, depthSize: "small" }),
    floats: fc.array(float, { maxLength: 3 }),
    ints: fc.array(int64, { maxLength: 3 }),
    strings: fc.array(payload, { maxLength: 2 }),
    tensors: fc.array(tensor, { maxLength: 1 }),
    graphs: fc.constant([]),
    docString: text,
    type: fc.option(fc.integer({ min: 0, max: 14 }), { nil: undefined }),
  }),
  graph: fc.record({
    node: fc.array(
      fc.record({
        input: fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
        output: fc.array(fc.string({ maxLength: 5 }), { maxLength: 2 }),
        name: text,
        operator: text,
        attribute: fc.array(tie("attribute"), { maxLength: 2 }),
        docString: text,
        domain: text,
        unknown,
      }),
      { maxLength: 3 },
    ),
    name: text,
    initializer: fc.array(tensor, { maxLength: 2 }),
    docString: text,
    input: fc.array(valueInfo, { maxLength: 2 }),
    output: fc.array(valueInfo, { maxLength: 2 }),
    valueInfo: fc.array(valueInfo, { maxLength: 1 }),
  }),
}));
const model = fc.record({
  irVersion: fc.option(size, { nil: undefined }),
  producerName: text,
  producerVersion: text,
  domain: text,
  modelVersion: fc.option(int64, { nil: undefined }),
  docString: text,
  graph,
  operatorSets: fc.array(fc.record({ domain: text, version: size }), { maxLength: 2 }),
  metadata: fc.array(entry, { maxLength: 2 }),
  unknown,
}) as fc.Arbitrary<Model>;

/** The value with undefined fields removed and byte arrays as plain arrays, so that an absent field equals an undefined one. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) => {
      if (typeof each === "bigint") return `${each}n`;
      if (typeof each === "number" && !Number.isFinite(each)) return String(each);
      if (Object.is(each, -0)) return "-0";
      return each instanceof Uint8Array ? Array.from(each) : each;
    }),
  );

test("any model is read as it was written", () => {
  fc.assert(
    fc.property(model, (value) => {
      const bytes = encodeModel(value);
      const back = parseModel(bytes);
      expect(plain(back)).toEqual(plain(value));
      expect(Buffer.compare(encodeModel(back), bytes)).toBe(0);
    }),
    { numRuns: 300 },
  );
});

/** A field of up to 127 bytes. */
const nested = (tag: number, inner: readonly number[]) => [tag, inner.length, ...inner];

function modelWithGraph(graph: Uint8Array): Uint8Array {
  const writer = new WireWriter();
  writer.tag(7, wireTypes.bytes);
  writer.bytes(graph);
  return writer.finish();
}

describe("hostile files", () => {
  const readsOrRefuses = (bytes: Uint8Array) => {
    try {
      return parseModel(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(OnnxFormatError);
      return null;
    }
  };

  test("cut anywhere: an error that says where", () => {
    const cuts = [1, 7, 40, 900, 20_000, small.length - 30_000, small.length - 5, small.length - 1];
    for (const length of cuts) {
      expect(() => parseModel(small.subarray(0, length)), `${length}`).toThrow(
        /^The ONNX file cannot be read: at byte \d+ there is .*\. The file is damaged, incomplete or not ONNX; download it again\.$/,
      );
    }
  });

  test.each([
    ["nothing", new Uint8Array(), "no graph"],
    [
      "a page of HTML",
      new TextEncoder().encode("<!doctype html><html><body>Not found</body></html>"),
      "at byte 1 there is the wire type 4 instead of 2",
    ],
    [
      "JSON",
      new TextEncoder().encode('{"error":"Entry not found"}'),
      "at byte 1 there is the unknown wire type 3",
    ],
    [
      "a Git LFS pointer",
      new TextEncoder().encode("version https://git-lfs.github.com/spec/v1\noid sha256:1"),
      "at byte 1 there is the wire type 6 instead of 2",
    ],
    [
      "a length beyond the end",
      Uint8Array.of(0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f),
      "at byte 6 there is a value of 4294967295 bytes, but only 0 bytes are left",
    ],
    ["a length beyond 2^53", Uint8Array.of(0x3a, ...new Array(9).fill(255), 1), "a length beyond 2^53"],
    ["an endless integer", Uint8Array.of(8, ...new Array(20).fill(255)), "an integer of more than ten bytes"],
    ["a group", Uint8Array.of(0x0b, 0x0c), "the wire type 3 instead of 0"],
    ["an unknown group", Uint8Array.of(0xc3, 0x3e), "the unknown wire type 3"],
    ["field number 0", Uint8Array.of(0, 0), "the field number 0"],
    ["two graphs", Uint8Array.of(0x3a, 0, 0x3a, 0), 'a second value of the field "graph"'],
    ["a name that is not UTF-8", Uint8Array.of(0x12, 2, 0xc3, 0x28), "a string that is not valid UTF-8"],
  ])("%s is refused", (_, bytes, message) => {
    expect(() => parseModel(bytes)).toThrow(OnnxFormatError);
    expect(() => parseModel(bytes)).toThrow(message);
  });

  test("ten million bytes of empty nodes are refused before they are objects", () => {
    const nodes = new Uint8Array(new Uint16Array(5e6).fill(0x0a).buffer);
    expect(() => parseModel(modelWithGraph(nodes))).toThrow(
      /^The graph was not read, because it has more than 250000 nodes, attributes and other parts, more than any model .* Download the file again/,
    );
  });

  const few = { parts: 10, textBytes: 8, externalFiles: 1 };
  /** Ten parts, including the model and the graph, and then one more. */
  const times = (count: number, ...part: number[]) => new Array(count).fill(part).flat();
  test.each([
    ["empty nodes", (count: number) => times(count, 0x0a, 0)],
    ["names of a node's inputs", (count: number) => nested(0x0a, times(count - 1, 0x0a, 0))],
    [
      "whole numbers of an attribute",
      (count: number) => nested(0x0a, nested(0x2a, times(count - 2, 0x40, 1))),
    ],
    ["numbers in one list", (count: number) => nested(0x0a, nested(0x2a, nested(0x42, times(count - 2, 1))))],
    ["fields that are not known", (count: number) => times(count, 0xc0, 0x3e, 7)],
  ])("%s are counted", (_, bytesOf) => {
    const read = (count: number) => parseModel(modelWithGraph(Uint8Array.from(bytesOf(count))), few);
    expect(() => read(8)).not.toThrow();
    expect(() => read(9)).toThrow("because it has more than 10 nodes, attributes and other parts");
  });

  test("names and other texts are counted in bytes", () => {
    const named = (length: number) => modelWithGraph(Uint8Array.from(nested(0x12, times(length, 0x61))));
    expect(parseModel(named(8), few).graph?.name).toBe("aaaaaaaa");
    expect(() => parseModel(named(9), few)).toThrow(
      "The graph was not read, because it has more than 8 bytes of names and other strings",
    );
  });

  test("weights are not counted", () => {
    for (const values of [nested(0x4a, times(100, 0)), times(50, 0x38, 1)]) {
      const weights = Uint8Array.from(nested(0x2a, values));
      expect(() => parseModel(modelWithGraph(weights), few)).not.toThrow();
    }
  });

  test("graphs nested a hundred deep are refused", () => {
    let graph: NonNullable<Model["graph"]> = {
      node: [],
      initializer: [],
      input: [],
      output: [],
      valueInfo: [],
    };
    for (let depth = 0; depth < 100; depth++) {
      const node = makeNode("If", [], [], { name: "deep" });
      node.attribute.push({ g: graph, floats: [], ints: [], strings: [], tensors: [], graphs: [] });
      graph = { ...graph, node: [node] };
    }
    const bytes = encodeModel({ graph, operatorSets: [], metadata: [] });
    expect(() => parseModel(bytes)).toThrow("a message nested more than 64 levels deep");
  });

  test("2,000 files with changed bytes are read or refused", () => {
    const header = small.subarray(0, 60_000);
    let refused = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(header.length - 1), fc.integer({ min: 0, max: 255 })), {
          minLength: 1,
          maxLength: 8,
        }),
        fc.boolean(),
        (changes, cut) => {
          const bytes = new Uint8Array(cut ? header : small);
          for (const [place, value] of changes) bytes[place] = value;
          if (readsOrRefuses(bytes) === null) refused++;
        },
      ),
      { numRuns: 2000 },
    );
    expect(refused).toBeGreaterThan(1000);
  });
});

test("values written one by one and values written packed are the same", () => {
  const tensorOf = (data: number[]) => {
    const body = [...data, 0x10, elementType.float];
    const graph = [0x2a, body.length, ...body];
    return parseModel(Uint8Array.of(0x3a, graph.length, ...graph)).graph?.initializer[0];
  };
  const one = [0, 0, 0x80, 0x3f];
  const two = [0, 0, 0, 0x40];
  const loose = tensorOf([0x08, 2, 0x25, ...one, 0x25, ...two]);
  const packed = tensorOf([0x0a, 1, 2, 0x22, 8, ...one, ...two]);
  expect(loose?.dims).toEqual([2]);
  expect(Array.from(loose?.floatData ?? [])).toEqual([...one, ...two]);
  expect(packed?.dims).toEqual(loose?.dims);
  expect(Array.from(packed?.floatData ?? [])).toEqual(Array.from(loose?.floatData ?? []));
});

// If the time grew with the square of their number, the test would not end.
test("a million values written one by one are read in time that grows with their number", () => {
  const lengthOf = (count: number) =>
    Uint8Array.of((count & 127) | 128, ((count >> 7) & 127) | 128, ((count >> 14) & 127) | 128, count >> 21);
  const body = Buffer.concat([...new Array(1_000_000)].map(() => Uint8Array.of(0x25, 0, 0, 0x80, 0x3f)));
  const tensor = Buffer.concat([Uint8Array.of(0x2a), lengthOf(body.length), body]);
  const file = Buffer.concat([Uint8Array.of(0x3a), lengthOf(tensor.length), tensor]);
  expect(parseModel(file).graph?.initializer[0]?.floatData).toHaveLength(4_000_000);
});

test("a tensor maker does not copy", () => {
  const data = new Float32Array(4);
  expect(makeTensor("w", elementType.float, [4], data).rawData?.buffer).toBe(data.buffer);
});
