import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { steeringVector, steeringVectorLimits, steeringVectorText } from "./steering-vector.ts";

const cheerful = { layer: 12, vector: Float32Array.of(0.5, -1, 0.25, 0), name: "cheerful" };

describe("a vector as a text", () => {
  test("is letters after its name, and stays what it is", () => {
    // A published text. Mods and links contain such texts, so they must stay readable.
    expect(steeringVectorText(cheerful)).toBe("cheerful:bamdmabacaeaaaeniaopgaaaanehdap");
  });

  const name = fc.oneof(fc.constant(undefined), fc.constantFrom("cheerful", "a: b", "très gai 😀"));
  const size = fc.integer({ min: 1, max: 700 });
  const float = fc.float({ min: Math.fround(-1e30), max: Math.fround(1e30), noNaN: true });
  const bell = fc.tuple(
    fc.float({ noNaN: true, min: -1, max: 1 }),
    fc.float({ noNaN: true, min: -1, max: 1 }),
  );
  const arbitraryVector = size.chain((length) =>
    fc.oneof(
      fc.array(float, { minLength: length, maxLength: length }),
      fc.array(
        bell.map(([one, other]) => one ** 3 + other ** 5),
        { minLength: length, maxLength: length },
      ),
    ),
  );

  test("comes back within half a step at every number, with its layer and name", () => {
    fc.assert(
      fc.property(arbitraryVector, fc.integer({ min: 0, max: 255 }), name, (numbers, layer, name) => {
        const vector = Float32Array.from(numbers);
        const back = steeringVector(
          steeringVectorText({ layer, vector, ...(name !== undefined && { name }) }),
        );
        const most = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
        const off = vector.findIndex(
          // The step is rounded to float32 too, and float32 is coarse for tiny numbers.
          (number, place) =>
            Math.abs(number - (back.vector[place] as number)) > (most / 254) * 1.0001 + 1e-38,
        );
        expect({ off, layer: back.layer, name: back.name, length: back.vector.length }).toEqual({
          off: -1,
          layer,
          name,
          length: vector.length,
        });
      }),
    );
  });

  test("is the same text again when its vector is written again", () => {
    fc.assert(
      fc.property(arbitraryVector, (numbers) => {
        const once = steeringVector(steeringVectorText({ layer: 3, vector: Float32Array.from(numbers) }));
        const again = steeringVector(steeringVectorText(once));
        const most = once.vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
        expect(
          again.vector.every(
            (number, at) => Math.abs(number - (once.vector[at] as number)) <= most * 1e-5 + 1e-38,
          ),
        ).toBe(true);
      }),
    );
  });

  test("takes less than two letters of each number of a bell curve, however large they are", () => {
    // The sum of twelve uniform numbers is nearly normal.
    let state = 1;
    const uniform = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32 - 0.5;
    };
    const vector = Float32Array.from({ length: 576 }, () =>
      Array.from({ length: 12 }, uniform).reduce((a, b) => a + b),
    );
    const length = steeringVectorText({ layer: 12, vector }).length;
    expect(length).toBeLessThan(1_152);
    expect(steeringVectorText({ layer: 12, vector: vector.map((number) => number * 1e6) })).toHaveLength(
      length,
    );
  });

  test("of nothing but zeros is zeros", () => {
    expect(steeringVector(steeringVectorText({ layer: 0, vector: new Float32Array(9) })).vector).toEqual(
      new Float32Array(9),
    );
  });

  test("of the most numbers fits", () => {
    const vector = Float32Array.from(
      { length: steeringVectorLimits.numbers },
      (_, place) => ((place * 7919) % 255) - 127,
    );
    const text = steeringVectorText({ layer: 1, vector });
    expect(text.length).toBeLessThan(steeringVectorLimits.textLength);
    expect(steeringVector(text).vector).toEqual(vector);
  });
});

describe("a text that is not the text of a vector is refused", () => {
  const text = steeringVectorText(cheerful);
  const newer = (() => {
    // Version 2, with its valid checksum.
    const body = `c${steeringVectorText({ layer: 12, vector: cheerful.vector }).slice(1, -6)}`;
    for (const tail of checksums(body)) return body + tail;
    throw new Error("never");
  })();
  test.each([
    [
      "a number",
      7,
      "steeringVector(...) was given 7: give the text of a vector, a string of letters from a to p.",
    ],
    ["nothing", undefined, "was given undefined"],
    ["an empty text", "", "not the text of a vector"],
    ["another text", "cheerful", "not the text of a vector"],
    ["spaces around it", ` ${text} `, "not the text of a vector"],
    ["a line break in it", `${text.slice(0, 20)}\n${text.slice(20)}`, "not the text of a vector"],
    ["a text that is too long", "a".repeat(steeringVectorLimits.textLength + 1), "not the text of a vector"],
    ["a cut text", text.slice(0, -1), "damaged: its checksum is wrong"],
    ["another name", text.replace("cheerful", "gloomy"), "damaged: its checksum is wrong"],
    ["a newer version", newer, "has version 2, but this Midtoken reads version 1"],
  ])("%s", (_, given, message) => {
    expect(() => steeringVector(given as string)).toThrow(message);
  });

  test("one letter that is another one", () => {
    const wrong: string[] = [];
    for (let place = text.indexOf(":") + 1; place < text.length; place += 1)
      for (const letter of "abcdefghijklmnop") {
        if (letter === text[place]) continue;
        try {
          steeringVector(text.slice(0, place) + letter + text.slice(place + 1));
          wrong.push(`${place} ${letter}`);
        } catch (error) {
          expect((error as Error).message).toContain("damaged");
        }
      }
    expect(wrong).toEqual([]);
  });

  test("any letters with a checksum that fits: a vector of finite numbers, or a sentence", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."abcdefghijklmnop"), minLength: 2, maxLength: 300 });
    const counts = { read: 0, refused: 0 };
    fc.assert(
      fc.property(letters, (body) => {
        const hostile = `b${body}`;
        for (const tail of checksums(hostile)) {
          try {
            const { vector } = steeringVector(hostile + tail);
            counts.read += 1;
            expect(vector.length > 0 && vector.every(Number.isFinite)).toBe(true);
          } catch (error) {
            counts.refused += 1;
            expect((error as Error).message).toMatch(
              /^The text of the steering vector is damaged: .+\. Copy the whole text again\.$/,
            );
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(counts.refused).toBeGreaterThan(200);
  });
});

describe("what no text holds is refused", () => {
  test.each([
    ["a whole number from 0 to 255, not -1", { layer: -1 }],
    ["not 1.5", { layer: 1.5 }],
    ["not 256", { layer: 256 }],
    ["1 to 65535 numbers, not 0", { vector: new Float32Array(0) }],
    ["not 65536", { vector: new Float32Array(65_536) }],
    ["has NaN at index 1", { vector: Float32Array.of(0, Number.NaN) }],
    ["has -Infinity at index 0", { vector: Float32Array.of(Number.NEGATIVE_INFINITY) }],
    ["1 to 60 characters", { name: "" }],
    ["without line breaks", { name: "two\nlines" }],
    ["name", { name: "half \ud83d" }],
    ["1 to 60 characters", { name: "x".repeat(61) }],
  ])("%s", (message, part) => {
    expect(() => steeringVectorText({ ...cheerful, ...part })).toThrow(RangeError);
    expect(() => steeringVectorText({ ...cheerful, ...part })).toThrow(message);
  });
});

/** The checksum of a text, as in steering-vector.ts: anybody can compute it. */
function checksums(body: string): string[] {
  let hash = 0x811c_9dc5;
  for (let place = 0; place < body.length; place += 1)
    hash = Math.imul(hash ^ body.charCodeAt(place), 0x0100_0193);
  return [
    Array.from({ length: 6 }, (_, place) => String.fromCharCode(97 + ((hash >>> (4 * place)) & 15))).join(""),
  ];
}
