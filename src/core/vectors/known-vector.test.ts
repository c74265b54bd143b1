import fc from "fast-check";
import { expect, test } from "vitest";
import {
  explainModelMismatch,
  parseVectorFile,
  type VectorWithMetadata,
  vectorFileLimits,
  vectorFileText,
} from "./known-vector.ts";
import { sampleVector } from "./testing/sample-vector.ts";

const known = sampleVector("gay");
const fileWith = (changes: object) => JSON.stringify({ ...JSON.parse(vectorFileText(known)), ...changes });

test("a file comes back as what was saved", () => {
  expect(parseVectorFile(vectorFileText(known))).toEqual(known);
});

test.each<[string, string]>([
  ["not a Midtoken vector", ""],
  ["not a Midtoken vector", "{"],
  ["not a Midtoken vector", "[1]"],
  ["not a Midtoken vector", JSON.stringify({ midtoken: "workspace", version: 1 })],
  ["characters, but a vector file has at most", " ".repeat(vectorFileLimits.file + 1)],
  ["from a newer version of Midtoken", fileWith({ version: 2 })],
  ['"text" of the vector is undefined', fileWith({ text: undefined })],
  ["is damaged", fileWith({ text: `${known.text.slice(0, -1)}${known.text.endsWith("a") ? "b" : "a"}` })],
  ['"model" of the vector is a list of 1', fileWith({ model: [7] })],
  ['"model.id" of the vector is ""', fileWith({ model: { ...known.model, id: "" } })],
  ['"model.layerCount" of the vector is 0', fileWith({ model: { ...known.model, layerCount: 0 } })],
  [
    "has 3 numbers, but its model's hidden states have 4",
    fileWith({ model: { ...known.model, hiddenSize: 4 } }),
  ],
  [
    "is for layer 1, but its model has 1 layers, 0 to 0",
    fileWith({ model: { ...known.model, layerCount: 1 } }),
  ],
  ['"share" of the vector is 1.5', fileWith({ share: 1.5 })],
  ['"stream" of the vector is null', fileWith({ stream: null })],
  [
    '"texts.tokens" of the vector is "first"; it must be one of last, all',
    fileWith({ texts: { ...known.texts, tokens: "first" } }),
  ],
  ['"texts.as" of the vector is undefined', fileWith({ texts: { ...known.texts, as: undefined } })],
  ['"texts.away" of the vector is "x"', fileWith({ texts: { ...known.texts, away: "x" } })],
  ['"texts.away[1]" of the vector is 7', fileWith({ texts: { ...known.texts, away: ["x", 7] } })],
  [
    '"texts.toward" of the vector is a list of 501',
    fileWith({ texts: { ...known.texts, toward: new Array(501).fill("x") } }),
  ],
])("refused, with words: %s", (words, text) => {
  expect(() => parseVectorFile(text)).toThrow(words);
});

test("a file that is damaged anywhere is refused with words, or is a vector", () => {
  const whole = vectorFileText(known);
  fc.assert(
    fc.property(fc.nat({ max: whole.length - 1 }), fc.string({ maxLength: 3 }), (at, put) => {
      const file = whole.slice(0, at) + put + whole.slice(at + put.length);
      let read: VectorWithMetadata;
      try {
        read = parseVectorFile(file);
      } catch (error) {
        expect((error as Error).message.length).toBeGreaterThan(20);
        return;
      }
      expect(Object.keys(read)).toEqual(Object.keys(known));
    }),
  );
});

test("a vector of another model is said", () => {
  expect(explainModelMismatch(known, { id: "a/model" })).toBeNull();
  expect(explainModelMismatch(known, null)).toBeNull();
  expect(explainModelMismatch(known, { id: "onnx-community/Model-ONNX-web" })).toBeNull();
  expect(explainModelMismatch(known, { id: "another" })).toContain(
    "This vector was made with a/model, but another is selected",
  );
});
