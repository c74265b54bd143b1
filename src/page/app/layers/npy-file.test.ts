/** A file of hidden states is read back by its own header, as NumPy reads it. */
import { expect, test } from "vitest";
import { encodeNpyFile } from "./npy-file.ts";

test.each([
  [[2, 3], "(2, 3)"],
  [[6], "(6,)"],
])("numbers of the shape %j", (shape, written) => {
  const numbers = Float32Array.from([1, -2, 0.5, 3e-9, 7, 1e30]);
  const bytes = encodeNpyFile(numbers, shape);
  expect([...bytes.subarray(0, 8)]).toEqual([0x93, 78, 85, 77, 80, 89, 1, 0]);
  const length = new DataView(bytes.buffer).getUint16(8, true);
  const header = new TextDecoder().decode(bytes.subarray(10, 10 + length));
  expect(header).toMatch(/^\{'descr': '<f4', 'fortran_order': False, 'shape': \(.*\), \} *\n$/);
  expect(header).toContain(`'shape': ${written}`);
  expect((10 + length) % 64).toBe(0);
  expect(new Float32Array(bytes.slice(10 + length).buffer)).toEqual(numbers);
});
