import { createHash } from "node:crypto";
import fc from "fast-check";
import { deflateSync } from "fflate";
import { expect, test } from "vitest";
import { runToEnd } from "../../base/resumable-work.ts";
import { TraceError } from "../format/trace-error.ts";
import { readingContainer } from "./container.ts";
import { presetDictionary } from "./dictionary.ts";
import { mixingDecoder } from "./mixing-coder.ts";
import { mixingEncoder } from "./mixing-encoder.ts";
import { packing } from "./pack.ts";
import { packings } from "./packing.ts";
import { writingContainer } from "./writing-container.ts";

const encode = (columns: readonly Uint8Array[]) => runToEnd(mixingEncoder.encode(columns));
const decode = (bytes: Uint8Array, lengths: readonly number[]) =>
  runToEnd(mixingDecoder.decode(bytes, lengths));
const utf8 = (text: string) => new TextEncoder().encode(text);
const returned = (columns: readonly Uint8Array[]) =>
  decode(
    encode(columns),
    columns.map(({ length }) => length),
  );

test("columns come back as they were", () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 120 }), fc.string({ maxLength: 120 }).map(utf8));
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 6 }), (columns) => {
      expect(returned(columns)).toEqual(columns);
    }),
    { numRuns: 60 },
  );
});

const longest = {
  zeros: () => 0,
  noise: (place: number) => (place * place * 7919) >>> 5,
  steps: (place: number) => place,
};

test.each(Object.entries(longest))("the longest columns come back (%s)", (_, byteAt) => {
  const column = Uint8Array.from({ length: mixingEncoder.limit }, (_, place) => byteAt(place));
  expect(returned([column])).toEqual([column]);
});

test("as many columns as a section may have come back", () => {
  const columns = Array.from({ length: 64 }, (_, column) => new Uint8Array(128).fill(column));
  expect(returned(columns)).toEqual(columns);
});

test("the arithmetic is frozen: these bytes are in links", () => {
  const text = utf8("Once upon a time, there was a little mod. It liked to forceTokens.");
  expect(Buffer.from(encode([text])).toString("hex")).toBe("8f0252ec25cb43953b09da");
  const numbers = Uint8Array.from([1, 2, 3, 200, 0, 0]);
  expect(Buffer.from(encode([numbers, new Uint8Array(), text])).toString("hex")).toBe(
    "fef2e46be5b088c397a123cc49570283a9",
  );
  const digest = createHash("sha256")
    .update(encode([presetDictionary.slice(1000).reverse()]))
    .digest("hex");
  expect(digest).toBe("a8c592870126b70152c0c55ffa3951453745e001c20be17271568f24eeaf926a");
});

test("what was coded before changes nothing: each section is read alone", () => {
  const columns = [utf8("export default mod({ sampled(event, actions) {} });")];
  const first = encode(columns);
  encode([utf8("something else, for a while")]);
  expect(encode(columns)).toEqual(first);
});

test("left-over bytes are refused", () => {
  const bytes = encode([utf8("three")]);
  expect(() => decode(Uint8Array.from([...bytes, 0, 0, 0, 0, 0]), [5])).toThrow("extra bytes at its end");
});

test("any bytes decode to something of the declared length, or are refused for the bytes that are left", () => {
  let decoded = 0;
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        expect(decode(bytes, [100, 0, 30]).map(({ length }) => length)).toEqual([100, 0, 30]);
        decoded += 1;
      } catch (error) {
        if (!(error instanceof TraceError)) throw error;
        expect(error.message).toContain("extra bytes at its end");
      }
    }),
    { numRuns: 30 },
  );
  expect(decoded).toBeGreaterThan(20);
});

const story = `One day, a boy named Tom went to the park with his mom. He saw a big dog. The dog was sad because it lost its ball.
Tom wanted to help. He looked under the tree and behind the bench. "Here it is!" said Tom. The dog was very happy and they played
together all day. When it was time to go home, the dog gave Tom a hug. Tom smiled and said, "I will come back tomorrow, dog!"`;

test("a story is a fifth shorter than by deflate with the same dictionary, and a step at a time", () => {
  const steps = mixingEncoder.encode([utf8(story)]);
  expect(steps.next().done).toBe(false);
  const mixed = encode([utf8(story)]);
  const { packing: way, bytes } = runToEnd(packing([utf8(story)], mixingEncoder));
  expect(way).toBe(packings.mixing);
  expect(bytes).toEqual(mixed);
  expect(mixed.length).toBeLessThan(
    0.8 * deflateSync(utf8(story), { level: 9, dictionary: presetDictionary }).length,
  );
});

test("files are written without it, and one that has it is refused with words", () => {
  const columns = new Map([["prompt.text", utf8(story)] as const]);
  const link = runToEnd(writingContainer(columns, mixingEncoder)).bytes;
  expect(runToEnd(writingContainer(columns)).bytes.length).toBeGreaterThan(link.length);
  const read = (mixing?: typeof mixingDecoder) =>
    runToEnd(readingContainer({ bytes: link, ...(mixing && { mixing }) }, { left: 10_000 }));
  expect(read(mixingDecoder).get("prompt.text")).toEqual([utf8(story)]);
  expect(() => read()).toThrow("uses a packing method that only links use");
});
