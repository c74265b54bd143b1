/** The number types of a running model's float tensors. */

export type FloatType = "float32" | "float16";

const bytesOf: Record<FloatType, number> = { float32: 4, float16: 2 };

export function bytesOfType(type: FloatType): number {
  return bytesOf[type];
}
