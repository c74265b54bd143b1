import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countUnfinishedBytes, Detokenizer } from "./detokenizer.ts";

/** Every byte and every pair of bytes is a token, so that characters are split in all ways. */
const bytePairs = {
  tokenBytes: (token: number) =>
    token < 256 ? Uint8Array.of(token) : Uint8Array.of(token & 255, token >> 8),
};
const decodeAll = (tokens: readonly number[]) =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    Uint8Array.from(tokens.flatMap((token) => [...bytePairs.tokenBytes(token)])),
  );

/** Any bytes, with the limits of UTF-8's ranges more often. */
const anyByte = fc.oneof(
  fc.constantFrom(0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf),
  fc.constantFrom(0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff, 0xbb, 0xfe),
  fc.nat(255),
);
const anyToken = fc.oneof(
  anyByte,
  fc.tuple(anyByte, fc.integer({ min: 1, max: 255 })).map(([low, high]) => low | (high << 8)),
);

describe("Detokenizer", () => {
  test("what is appended and cut reads as the tokens that are left", () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.array(anyToken, { minLength: 1, maxLength: 6 }) },
      { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const detokenizer = new Detokenizer(bytePairs);
        let tokens: number[] = [];
        for (const next of steps) {
          if (typeof next === "number") {
            tokens = tokens.slice(0, Math.floor(next * tokens.length));
            detokenizer.truncate(tokens.length);
          } else {
            const before = detokenizer.text;
            const added = next.map((token) => detokenizer.append(token)).join("");
            tokens.push(...next);
            expect(detokenizer.text).toBe(before + added);
          }
          expect(detokenizer.length).toBe(tokens.length);
          const heldBack = detokenizer.isWholeAt(tokens.length) ? "" : "\ufffd";
          expect(detokenizer.text + heldBack).toBe(decodeAll(tokens));
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("text in whole characters never shows a replacement character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const bytes = new TextEncoder().encode(text);
        const detokenizer = new Detokenizer(bytePairs);
        const deltas = [...bytes].map((byte) => detokenizer.append(byte));
        expect(deltas.join("")).toBe(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
        expect(detokenizer.isWholeAt(bytes.length)).toBe(true);
      }),
    );
  });

  test("the bytes of a character go to the token that completes it", () => {
    const detokenizer = new Detokenizer(bytePairs);
    expect([0xf0, 0x9f, 0x99, 0x82, 0x21].map((byte) => detokenizer.append(byte))).toEqual([
      "",
      "",
      "",
      "🙂",
      "!",
    ]);
    expect([0, 1, 2, 3, 4, 5].map((length) => detokenizer.textLengthAt(length))).toEqual([0, 0, 0, 0, 2, 3]);
    detokenizer.truncate(2);
    expect([detokenizer.text, detokenizer.isWholeAt(2)]).toEqual(["", false]);
    expect(detokenizer.append(0x41)).toBe("\ufffdA");
  });

  test.each([-1, 2, 0.5, Number.NaN])("refuses to keep %s of one token", (length) => {
    const detokenizer = new Detokenizer(bytePairs);
    detokenizer.append(0x41);
    expect(() => detokenizer.truncate(length)).toThrow(RangeError);
    expect(detokenizer.text).toBe("A");
  });

  test("a byte order mark is text", () => {
    const detokenizer = new Detokenizer(bytePairs);
    expect([0xef, 0xbb, 0xbf].map((byte) => detokenizer.append(byte)).join("")).toBe("\ufeff");
  });
});

test.each([
  [[], 0],
  [[0x41], 0],
  [[0xc2], 1],
  [[0xc1], 0],
  [[0xe2, 0x82], 2],
  [[0xe0, 0x80], 0],
  [[0xed, 0xa0], 0],
  [[0xf0, 0x9f, 0x99], 3],
  [[0xf4, 0x90], 0],
  [[0x80, 0x80, 0x80], 0],
  [[0x41, 0xf0, 0x9f], 2],
])("unfinished bytes of %j: %i", (bytes, count) => {
  expect(countUnfinishedBytes(Uint8Array.from(bytes))).toBe(count);
});
