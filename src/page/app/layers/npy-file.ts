/** Float32 numbers as a file that NumPy and others read (https://numpy.org/neps/nep-0001-npy-format.html). Pure. */

export function encodeNpyFile(numbers: Float32Array, shape: readonly number[]): Uint8Array<ArrayBuffer> {
  const written = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(", ")}${shape.length === 1 ? "," : ""}), }`;
  // The numbers begin at a multiple of 64 bytes: ten before the header, and a line break at its end.
  const length = Math.ceil((10 + written.length + 1) / 64) * 64 - 10;
  const bytes = new Uint8Array(10 + length + 4 * numbers.length);
  bytes.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, length & 0xff, length >> 8]);
  bytes.set(new TextEncoder().encode(`${written.padEnd(length - 1)}\n`), 10);
  const view = new DataView(bytes.buffer, 10 + length);
  for (const [place, number] of numbers.entries()) view.setFloat32(4 * place, number, true);
  return bytes;
}
