/** The realm's own base64, encoders and other parts return the same results as a browser's. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromBase64, toBase64 } from "./base64.ts";
import { Utf8Decoder, Utf8Encoder } from "./utf8-codecs.ts";

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("\ud83d", "\ude00", "é", "a", "\ufeff", "\u0800") }),
);
/** Bytes, many of which begin or continue a character. */
const bytes = fc
  .array(
    fc.oneof(
      fc.nat(255),
      fc.constantFrom(0xc2, 0xe0, 0xed, 0xef, 0xbb, 0xbf, 0xf0, 0xf4, 0x80, 0x8f, 0x90, 0xa0),
    ),
  )
  .map((list) => Uint8Array.from(list));
const options = fc.record({ fatal: fc.boolean(), ignoreBOM: fc.boolean() });

describe("TextEncoder and TextDecoder", () => {
  test("encode as Node's do", () => {
    fc.assert(
      fc.property(texts, fc.nat(12), (text, room) => {
        expect(new Utf8Encoder().encode(text)).toEqual(new TextEncoder().encode(text));
        const [ours, theirs] = [new Uint8Array(room), new Uint8Array(room)];
        expect(new Utf8Encoder().encodeInto(text, ours)).toEqual(new TextEncoder().encodeInto(text, theirs));
        expect(ours).toEqual(theirs);
      }),
    );
  });

  test("decode as Node's do, in one piece and in several", () => {
    fc.assert(
      fc.property(fc.array(bytes, { minLength: 1, maxLength: 5 }), options, (pieces, given) => {
        const [ours, theirs] = [new Utf8Decoder("utf-8", given), new TextDecoder("utf-8", given)];
        for (const [place, piece] of pieces.entries()) {
          const stream = place < pieces.length - 1;
          const expected = decoded(() => theirs.decode(piece, { stream }));
          expect(decoded(() => ours.decode(piece, { stream }))).toBe(expected);
          // After an error, a decoder's state is undefined.
          if (expected === null) return;
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("another encoding is refused with words", () => {
    expect(() => new Utf8Decoder("latin1")).toThrow(
      'A TextDecoder for "latin1" is not available here: only "utf-8" is.',
    );
    expect(new Utf8Decoder(" UTF8 ").encoding).toBe("utf-8");
  });

  test("a long text", () => {
    const text = "aé😀".repeat(10_000);
    expect(new Utf8Decoder().decode(new Utf8Encoder().encode(text))).toBe(text);
  });
});

/** Null if it throws. */
function decoded(decode: () => string): string | null {
  try {
    return decode();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return null;
  }
}

test("base64 is Node's", () => {
  const latin = fc.string({ unit: fc.nat(255).map((unit) => String.fromCharCode(unit)) });
  fc.assert(
    fc.property(latin, (text) => {
      expect(toBase64(text)).toBe(btoa(text));
      expect(fromBase64(btoa(text))).toBe(text);
    }),
  );
  const given = fc.string({ unit: fc.constantFrom("a", "B", "1", "+", "/", "=", " ", "\n", "-") });
  fc.assert(
    fc.property(given, (text) => {
      expect(textOrNull(() => fromBase64(text))).toBe(textOrNull(() => atob(text)));
    }),
    { numRuns: 1_000 },
  );
  expect(() => toBase64("€")).toThrow("up to U+00FF");
});

function textOrNull(make: () => string): string | null {
  try {
    return make();
  } catch {
    return null;
  }
}
