import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseLayer, differenceVector, judgeLayers, vectorLengthShare, vectorNorm } from "./make-vector.ts";
import { separationOf } from "./separation.ts";
import { mostPooledTokens, placesOf, readTexts, type TextStates, type TokenStates } from "./text-states.ts";

/** Repeatable random numbers between -1 and 1. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

const layerCount = 9;
const hiddenSize = 24;

/**
 * Made-up hidden states: after each layer, the lists differ by `gap(layer)` in the first number. Everything else is noise, and
 * the texts of a pair share half of their noise.
 */
function statesWith(gap: (layer: number) => number, count = 8): TextStates {
  const random = noise(7);
  const lists = { toward: [] as Float32Array[], away: [] as Float32Array[] };
  for (let pair = 0; pair < count; pair += 1) {
    const common = Float32Array.from({ length: layerCount * hiddenSize }, random);
    for (const [list, sign] of [
      ["toward", 0.5],
      ["away", -0.5],
    ] as const)
      lists[list].push(
        common.map((value, at) => {
          const layer = Math.floor(at / hiddenSize);
          return value + random() + (at % hiddenSize === 0 ? 10 + sign * gap(layer) : 0);
        }),
      );
  }
  return { layerCount, hiddenSize, ...lists };
}

describe("how well lists are told apart", () => {
  test("far apart: every held-out text on its side, at its list's mean or so", () => {
    const [first] = judgeLayers(statesWith(() => 50));
    expect(first).toMatchObject({ layer: 0, share: 1, area: 1 });
    for (const place of first?.toward ?? []) expect(place).toBeCloseTo(1, 0);
    for (const place of first?.away ?? []) expect(place).toBeCloseTo(-1, 0);
    expect(first?.distance).toBeGreaterThan(20);
    expect(first?.difference).toBeCloseTo(50, 0);
  });

  test("the same but for noise: no better than chance, though the lists themselves are told apart perfectly", () => {
    const judged = judgeLayers(statesWith(() => 0));
    const areas = judged.map(({ area }) => area);
    expect(Math.max(...areas)).toBeLessThan(0.85);
    expect(areas.reduce((sum, area) => sum + area, 0) / layerCount).toBeLessThan(0.65);
  });

  test("in one number, by hand", () => {
    const list = (...values: number[]) => values.map((value) => Float32Array.of(value));
    // Without the pair of the text: 3 among means 2 and -1, 2 among 3 and -2.
    const separation = separationOf({ toward: list(3, 2), away: list(-2, -1) });
    expect(separation.toward).toEqual([(2 * (3 - 0.5)) / 3, (2 * (2 - 0.5)) / 5]);
    expect(separation.away).toEqual([(2 * (-2 - 0.5)) / 3, (2 * (-1 - 0.5)) / 5]);
    expect(separation).toMatchObject({ share: 1, area: 1 });
  });

  test("lists of unequal length", () => {
    const { toward, away, ...sizes } = statesWith(() => 50);
    const judged = judgeLayers({ ...sizes, toward, away: away.slice(0, 3) });
    expect(judged[0]?.away).toHaveLength(3);
    expect(judged[0]?.share).toBe(1);
  });

  test("a list with one text is refused", () => {
    const { away, ...rest } = statesWith(() => 1);
    expect(() => judgeLayers({ ...rest, away: away.slice(0, 1) })).toThrow(
      "needs 2 texts in each list, but the lists have 8 and 1",
    );
  });

  test("places, share and area hold together", () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ noNaN: true, min: -100, max: 100 }), { minLength: 2, maxLength: 9 }),
        fc.array(fc.float({ noNaN: true, min: -100, max: 100 }), { minLength: 2, maxLength: 9 }),
        (one, other) => {
          const { toward, away, share, area } = separationOf({
            toward: one.map((value) => Float32Array.of(value, 1)),
            away: other.map((value) => Float32Array.of(value, 2)),
          });
          expect(toward.concat(away).every(Number.isFinite)).toBe(true);
          expect(share >= 0 && share <= 1 && area >= 0 && area <= 1).toBe(true);
          if (share === 1) expect(area).toBe(1);
        },
      ),
    );
  });
});

describe("the layer", () => {
  test.each<[string, (layer: number) => number, number]>([
    ["equally good everywhere: two fifths of the way", () => 50, 3],
    ["best in the first and last layers: none of them", (layer) => (layer < 2 || layer > 6 ? 50 : 1), -1],
    ["good from the fifth on", (layer) => (layer >= 5 ? 50 : 0), 5],
    ["good up to the fourth", (layer) => (layer <= 3 ? 50 : 0), 3],
  ])("%s", (_, gap, expected) => {
    const chosen = chooseLayer(judgeLayers(statesWith(gap)));
    if (expected >= 0) expect(chosen).toBe(expected);
    expect(chosen).toBeGreaterThanOrEqual(2);
    expect(chosen).toBeLessThanOrEqual(6);
  });

  test.each([1, 2, 3, 5])("of a model with %i layers", (count) => {
    const judged = judgeLayers(statesWith(() => 50)).slice(0, count);
    expect(chooseLayer(judged)).toBeLessThan(count);
  });
});

describe("the vector", () => {
  test("points from one mean to the other, and is a fixed part of the typical length", () => {
    const states = statesWith(() => 50);
    const [, layer] = judgeLayers(states);
    const vector = differenceVector(states, layer as NonNullable<typeof layer>);
    expect(vector).toHaveLength(hiddenSize);
    expect(vectorNorm(vector)).toBeCloseTo(vectorLengthShare * (layer?.stream ?? 0), 4);
    expect((vector[0] as number) / vectorNorm(vector)).toBeGreaterThan(0.99);
  });

  test("between lists that are the same there is none", () => {
    const { toward, ...rest } = statesWith(() => 1);
    expect(() => differenceVector({ ...rest, toward, away: toward }, { layer: 3, stream: 1 })).toThrow(
      "the same mean hidden state after layer 3",
    );
  });
});

describe("reading", () => {
  const reading = (...tokens: number[]): TokenStates => ({
    layerCount: 1,
    hiddenSize: 2,
    tokens: tokens.map((value) => Float32Array.of(value, -value)),
  });
  const texts = { toward: ["ab", "abc"], away: ["x"], tokens: "all", as: "text" } as const;

  test("means over the tokens that were read, text by text, and tells of each", async () => {
    const counts: number[] = [];
    const read = async (text: string) => reading(...Array.from({ length: text.length }, (_, at) => at));
    const states = await readTexts(texts, read, { onText: (count) => counts.push(count) });
    expect(states).toEqual({
      layerCount: 1,
      hiddenSize: 2,
      toward: [Float32Array.of(0.5, -0.5), Float32Array.of(1, -1)],
      away: [Float32Array.of(0, 0)],
    });
    expect(counts).toEqual([1, 2, 3]);
  });

  test("is over when it is stopped", async () => {
    const stop = new AbortController();
    const read = async () => {
      stop.abort();
      return reading(1);
    };
    await expect(readTexts(texts, read, { signal: stop.signal })).rejects.toThrow("abort");
  });

  test("of no token, or of other sizes than were said, is refused", async () => {
    await expect(readTexts(texts, async () => reading())).rejects.toThrow("No token of the text");
    const other = { layerCount: 2, hiddenSize: 2, tokens: [Float32Array.of(1, 2)] };
    await expect(readTexts(texts, async () => other)).rejects.toThrow("should have 4: 2 layers of 2 numbers");
  });

  test.each([
    [0, "last", []],
    [1, "all", [0]],
    [4, "last", [3]],
    [4, "all", [1, 2, 3]],
  ] as const)("of %i tokens, %s: places %j", (count, choice, places) => {
    expect(placesOf(count, choice)).toEqual(places);
  });

  test("of a long text: so many places, each once, ascending, without the first and with the last", () => {
    for (const count of [128, 129, 130, 200, 1_000, 4_097]) {
      const places = placesOf(count, "all");
      expect(places).toHaveLength(Math.min(count - 1, mostPooledTokens));
      expect(places.every((place, at) => place > (places[at - 1] ?? 0))).toBe(true);
      expect(places.at(-1)).toBe(count - 1);
    }
  });
});
