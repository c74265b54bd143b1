/** Numbers the float32 values in ascending order: 0 has the place 0, the next larger value the place 1. */

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The place of -0 is -1. */
export function orderIndexOfFloat32(value: number): number {
  float[0] = value;
  const [word = 0] = bits;
  return word < 0 ? word ^ 0x7fffffff : word;
}

export function float32AtOrderIndex(place: number): number {
  bits[0] = place < 0 ? place ^ 0x7fffffff : place;
  return float[0] as number;
}
