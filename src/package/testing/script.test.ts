import fc from "fast-check";
import { expect, test } from "vitest";
import { nextTextProbabilities, readScript } from "./script.ts";

const steps = readScript(["Once", " upon", { " a": 0.7, " the": 0.3 }, " time", "."]);

test.each([
  ["", { Once: 1 }],
  ["Once", { " upon": 1 }],
  ["Once up", { on: 1 }],
  ["Once upon", { " a": 0.7, " the": 0.3 }],
  ["Once upon ", { a: 0.7, the: 0.3 }],
  ["Once upon th", { e: 0.3 }],
  ["Once upon the", { " time": 1 }],
  // A word that no step contains counts as one step.
  ["Twice", { " upon": 1 }],
  ["It was", { " a": 0.7, " the": 0.3 }],
  ["Once upon one", { " time": 1 }],
  // If a later step follows the word, the word counts as all steps before that step.
  ["In a time", { ".": 1 }],
  ["Once upon a long time", { ".": 1 }],
])("after %j comes what the script says", (answer, expected) => {
  expect(Object.fromEntries(nextTextProbabilities(answer, steps) ?? [])).toEqual(expected);
});

test.each(["Once upon a time.", "Once upon a time. And", "x.", "Once upon a time!"])(
  "after %j the script has ended",
  (answer) => {
    expect(nextTextProbabilities(answer, steps)).toBeNull();
  },
);

test("a text is said word by word, and all of it", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const said = readScript(text).map((texts) => [...texts.keys()].join());
      expect(said.join("")).toBe(text);
      expect(said.every((word) => word !== "")).toBe(true);
    }),
  );
});

test.each([
  [[""], 'Step 0 of the script is ""'],
  [["a", {}], "Step 1 of the script is {}"],
  [[{ a: 0 }], 'the probability of "a" is 0'],
  [[{ a: Number.NaN }], 'the probability of "a" is NaN'],
  [[{ a: 0.6, b: 0.5 }], "its probabilities add up to 1.1, not 1"],
  [[{ "": 1 }], 'has the text "": write "<|end|>" for the end'],
])("the script %j is refused", (script, message) => {
  expect(() => readScript(script as never)).toThrow(message);
});
