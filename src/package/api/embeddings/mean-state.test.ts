/** Vectors of hidden states, and their encoding. */
import { expect, test } from "vitest";
import { base64OfFloats, meanHiddenState } from "./mean-state.ts";

const sizes = { layerCount: 1, hiddenSize: 2 };
const place = (...hidden: number[]) => ({ place: 0, hidden: Float32Array.from(hidden), lens: [] });

test("the mean of the places, of length 1", () => {
  expect([...meanHiddenState([place(1, 4), place(5, 4)], sizes)]).toEqual([...Float32Array.of(0.6, 0.8)]);
  expect([...meanHiddenState([place(0, 0)], sizes)]).toEqual([0, 0]);
  expect(() => meanHiddenState([place(1)], sizes)).toThrow("1 numbers");
});

test("base64 is that of OpenAI's client, for long vectors too", () => {
  const vector = Float32Array.from({ length: 10_001 }, (_, at) => Math.sin(at));
  const bytes = Uint8Array.from(atob(base64OfFloats(vector)), (character) => character.charCodeAt(0));
  expect(new Float32Array(bytes.buffer)).toEqual(vector);
});
