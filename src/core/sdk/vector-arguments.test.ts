/** `steer` and `patch` check an author's arguments and build actions of them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvalidActionError } from "./action.ts";
import { type AllActions, createActionBuilders } from "./actions.ts";
import { letterTokenizer } from "./testing/letter-tokenizer.ts";
import { steerActionLimits, type VectorCheckContext } from "./vector-arguments.ts";

type Loose = { readonly steer: (value?: unknown) => unknown; readonly patch: (value?: unknown) => unknown };

const small: VectorCheckContext = { layers: [1, 2], sizes: { layerCount: 3, hiddenSize: 2 } };
const unknownModel: VectorCheckContext = { layers: "all", sizes: null };

const actionsFor = (activations: VectorCheckContext | null = small): AllActions =>
  createActionBuilders({ event: "added", step: 3, tokenizer: letterTokenizer, activations });
const loose = (activations?: VectorCheckContext | null) => actionsFor(activations) as unknown as Loose;

describe("what the builders give", () => {
  const one = { layer: 1, vector: Float32Array.of(1, 2), scale: 1 };
  const rows: readonly [string, unknown, unknown][] = [
    ["scale is 1 unless given", { layer: 1, vector: [1, 2] }, [one]],
    ["a scale", { layer: 1, vector: [1, 2], scale: -2 }, [{ ...one, scale: -2 }]],
    ["scale 0", { layer: 1, vector: [1, 2], scale: 0 }, [{ ...one, scale: 0 }]],
    ["a name counts for nothing", { layer: 1, vector: [1, 2], name: "cheerful" }, [one]],
    ["a scale that is left open", { layer: 1, vector: [1, 2], scale: undefined }, [one]],
    ["any array of numbers", { layer: 1, vector: Float64Array.of(1, 2) }, [one]],
    ["rounded to 32 bits", { layer: 1, vector: [0.1, 2] }, [{ ...one, vector: Float32Array.of(0.1, 2) }]],
    ["null stops steering", null, []],
    ["so does an empty list", [], []],
    [
      "several, two of them for one layer",
      [
        { layer: 1, vector: [1, 2] },
        { layer: 1, vector: [3, 4], scale: 0.5 },
        { layer: 2, vector: [5, 6] },
      ],
      [
        one,
        { layer: 1, vector: Float32Array.of(3, 4), scale: 0.5 },
        { layer: 2, vector: Float32Array.of(5, 6), scale: 1 },
      ],
    ],
  ];
  test.each(rows)("%s", (_, value, vectors) => {
    const action = loose().steer(value) as ReturnType<AllActions["steer"]>;
    expect(action).toEqual({ type: "steer", vectors });
    expect(Object.isFrozen(action.vectors) && action.vectors.every(Object.isFrozen)).toBe(true);
  });

  test("a patch", () => {
    expect(actionsFor().patch({ layer: 2, vector: [3, 4], name: "x" })).toEqual({
      type: "patch",
      layer: 2,
      vector: Float32Array.of(3, 4),
    });
  });

  test("vectors are copied: what the author writes into them later changes nothing", () => {
    const vector = Float32Array.of(1, 2);
    const { vectors } = actionsFor().steer({ layer: 1, vector });
    const patch = actionsFor().patch({ layer: 1, vector });
    vector.fill(9);
    expect(vectors[0]?.vector).toEqual(Float32Array.of(1, 2));
    expect(patch.vector).toEqual(Float32Array.of(1, 2));
  });

  test("of a part of a larger array, that part", () => {
    const vector = Float32Array.of(0, 1, 2, 3).subarray(1, 3);
    expect(actionsFor().patch({ layer: 1, vector }).vector).toEqual(Float32Array.of(1, 2));
    expect(actionsFor().patch({ layer: 1, vector }).vector.buffer.byteLength).toBe(8);
  });

  test("where nothing is known of the model, any length goes on to the engine", () => {
    expect(actionsFor(unknownModel).patch({ layer: 900, vector: [1] }).layer).toBe(900);
  });
});

describe("what is wrong is refused at the author's line, with value and cure", () => {
  const good = { layer: 1, vector: [1, 2] };
  const rows: readonly (readonly [unknown, string])[] = [
    [undefined, '"steer" at "added": it was given undefined: give { layer, vector, scale }.'],
    [5, "it was given 5: give { layer, vector, scale }."],
    ["cheerful", 'it was given "cheerful"'],
    [{ vector: [1, 2] }, "the layer is undefined: layers are whole numbers, counted from 0 to 2."],
    [{ ...good, layer: -1 }, "the layer is -1"],
    [{ ...good, layer: 3 }, "there is no layer 3: the model has 3 layers, 0 to 2."],
    [{ ...good, layer: 0 }, "layer 0 was not declared: write mod({ layers: [0, 1, 2], … })."],
    [{ ...good, layer: Number.NaN }, "the layer is NaN"],
    [{ ...good, scal: 2 }, 'there is no "scal". Did you mean "scale"?'],
    [{ layer: 1 }, "the vector is undefined: give a Float32Array or a list of finite numbers."],
    [{ layer: 1, vector: "12" }, 'the vector is "12"'],
    [{ layer: 1, vector: { length: 1e9 } }, "the vector is an object"],
    [{ layer: 1, vector: [] }, "the vector has 0 numbers"],
    [
      { layer: 1, vector: [1, 2, 3] },
      "the vector has 3 numbers, but a hidden state of this model has 2: make the vector on the model that you steer.",
    ],
    [{ layer: 1, vector: [1, Number.NaN] }, "vector[1] is NaN: give finite numbers."],
    [{ layer: 1, vector: [Number.NEGATIVE_INFINITY, 1] }, "vector[0] is -Infinity: give finite numbers."],
    [{ layer: 1, vector: [1, "2"] }, 'vector[1] is "2": give finite numbers.'],
    [{ layer: 1, vector: new Array(2) }, "vector[0] is undefined"],
    [{ layer: 1, vector: BigInt64Array.of(1n, 2n) }, "vector[0] is 1: give finite numbers."],
    [{ layer: 1, vector: [1e39, 1] }, "vector[0] is 1e+39: give numbers up to 3.4e+38."],
    [{ ...good, scale: "2" }, 'scale is "2": give a finite number, 1 for the vector as it is'],
    [{ ...good, scale: null }, "scale is null"],
    [{ ...good, scale: Number.POSITIVE_INFINITY }, "scale is Infinity"],
    [{ ...good, scale: 2e38 }, "the vector times 2e+38 is too large for 32-bit floats"],
    [[good, { ...good, scale: Number.NaN }], "entry 1: scale is NaN"],
    [[good, null], "entry 1: was given null: give { layer, vector, scale }."],
    [[good, { ...good, layer: 7 }], "entry 1: there is no layer 7"],
    [new Array(steerActionLimits.vectors + 1).fill(good), "there are 257 vectors: give at most 256."],
  ];
  test.each(rows.map(([value, sentence]) => [sentence, value] as const))("steer: %s", (sentence, value) => {
    expect(() => loose().steer(value)).toThrow(InvalidActionError);
    expect(() => loose().steer(value)).toThrow(sentence);
  });

  test.each([
    [null, '"patch" at "added": it was given null: give { layer, vector }.'],
    [[{ layer: 1, vector: [1, 2] }], "it was given a list of 1: give { layer, vector }."],
    [{ layer: 1, vector: [1, 2], scale: 2 }, 'there is no "scale". The known names are'],
    [{ layer: 1, vector: [1] }, "the vector has 1 numbers, but a hidden state of this model has 2"],
    [{ layer: 0, vector: [1, 2] }, "layer 0 was not declared"],
  ])("patch(%j)", (value, sentence) => {
    expect(() => loose().patch(value)).toThrow(InvalidActionError);
    expect(() => loose().patch(value)).toThrow(sentence);
  });

  test("more numbers than any model takes", () => {
    const vector = new Float32Array(steerActionLimits.hiddenSize);
    const most = steerActionLimits.numbers / steerActionLimits.hiddenSize;
    const of = (count: number) => new Array(count).fill({ layer: 1, vector });
    expect(() => loose(unknownModel).steer(of(most))).not.toThrow();
    expect(() => loose(unknownModel).steer(of(most + 1))).toThrow("numbers: give at most 4194304.");
    expect(() => loose(unknownModel).patch({ layer: 1, vector: new Float32Array(65_537) })).toThrow(
      "the vector has 65537 numbers",
    );
  });
});

test("whatever is given, what is built is what the engine takes, or an InvalidActionError", () => {
  const number = fc.oneof(fc.double(), fc.float(), fc.integer(), fc.constantFrom(3.5e38, -0, 1e-50));
  const vector = fc.oneof(
    fc.array(number, { minLength: 2, maxLength: 2 }),
    fc.float32Array({ minLength: 0, maxLength: 3 }),
    fc.anything(),
  );
  const entry = fc.oneof(
    fc.record({ layer: fc.integer({ min: -1, max: 4 }), vector, scale: fc.oneof(number, fc.anything()) }),
    fc.record({
      layer: fc.constantFrom(1, 2),
      vector: fc.array(fc.float({ noNaN: true }), { minLength: 2, maxLength: 2 }),
    }),
    fc.anything(),
  );
  let built = 0;
  fc.assert(
    fc.property(fc.oneof(entry, fc.array(entry)), fc.boolean(), (value, patches) => {
      let vectors: readonly { readonly layer: number; readonly vector: Float32Array }[];
      try {
        vectors = patches
          ? [loose().patch(value) as ReturnType<AllActions["patch"]>]
          : (loose().steer(value) as ReturnType<AllActions["steer"]>).vectors;
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidActionError);
        return;
      }
      built += vectors.length;
      for (const { layer, vector, ...rest } of vectors) {
        expect([1, 2]).toContain(layer);
        expect(vector).toHaveLength(2);
        const { scale = 1 } = rest as { readonly scale?: number };
        expect([...vector].every((each) => Number.isFinite(Math.fround(each * scale)))).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
  expect(built).toBeGreaterThan(100);
});
