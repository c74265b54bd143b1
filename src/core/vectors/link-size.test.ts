/** The length that a vector of SmolLM2 adds to a link. The letters of a vector's text are chosen so that links pack them well. */
import { expect, test } from "vitest";
import { runToEnd } from "../base/resumable-work.ts";
import { steeringVector } from "../sdk/steering-vector.ts";
import { encodingSetup } from "../trace/file/setup-link.ts";
import { requestRecord } from "../trace/testing/trace-builder.ts";
import { steeringModSource } from "./insert-vector.ts";
import { vectorExamples } from "./library/index.ts";

function linkWith(source: string): number {
  const mods = [{ name: "steer", source }];
  return runToEnd(encodingSetup({ ...requestRecord(), mods, branch: null })).length;
}

test("each of the library's adds at most 750 characters to a link, fewer than base64 of its bytes", () => {
  const added = vectorExamples.map(({ vector: { text } }) => {
    const { vector, name = "" } = steeringVector(text);
    const largest = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
    const bytes = Int8Array.from(vector, (number) => Math.round((number / largest) * 127));
    const source = steeringModSource(name, text, 2);
    const without = linkWith(source.replace(text, ""));
    const asBytes = `${name}:${Buffer.from(bytes).toString("base64url")}`;
    return { letters: linkWith(source) - without, base64: linkWith(source.replace(text, asBytes)) - without };
  });
  expect(Math.max(...added.map(({ letters }) => letters))).toBeLessThanOrEqual(750);
  expect(added.filter(({ letters, base64 }) => letters > 0.87 * base64)).toEqual([]);
});
