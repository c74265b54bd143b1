/** Readers of numbers that a model computed: they must be float32. */
import { finite, type Reader, refuse } from "./check.ts";

export const float32: Reader<number> = (value) => {
  const number = finite(value);
  return Object.is(Math.fround(number), number) ? number : refuse("a float32 number", value);
};
