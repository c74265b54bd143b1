/** The committed library: its vectors are those of its lists of texts, and each describes its effect. */
import { expect, test } from "vitest";
import { steeringVector } from "../../sdk/steering-vector.ts";
import { parseVectorFile, vectorFileText } from "../known-vector.ts";
import { vectorLengthShare, vectorNorm } from "../make-vector.ts";
import { handwrittenExamples, vectorExamples } from "./index.ts";

test("every example was made, and says what it does and where it breaks", () => {
  expect(vectorExamples).toHaveLength(handwrittenExamples.length);
  for (const { does, breaks, effect } of vectorExamples) {
    expect(does).toMatch(/^[A-Z].{30,}\.$/);
    expect(breaks).toMatch(/^[A-Z].{30,}\.$/);
    expect(effect.scales.map(({ scale }) => scale)).toContain(0);
  }
});

test.each(vectorExamples.map(({ vector }) => [steeringVector(vector.text).name ?? "", vector] as const))(
  "%s: its file opens, of SmolLM2's middle, as long as vectors are, from lists of pairs",
  (_, vector) => {
    expect(parseVectorFile(vectorFileText(vector))).toEqual(vector);
    const { layer, vector: numbers } = steeringVector(vector.text);
    expect(numbers).toHaveLength(576);
    expect(layer).toBeGreaterThanOrEqual(8);
    expect(layer).toBeLessThanOrEqual(21);
    expect(vectorNorm(numbers) / vector.stream).toBeCloseTo(vectorLengthShare, 2);
    expect(vector.share).toBeGreaterThan(0.8);
    const { toward, away } = vector.texts;
    expect(toward).toHaveLength(away.length);
    expect(new Set([...toward, ...away]).size).toBe(2 * toward.length);
  },
);

test("the texts of an example's vector are short", () => {
  for (const { vector } of vectorExamples) expect(vector.text.length).toBeLessThan(1_200);
});
