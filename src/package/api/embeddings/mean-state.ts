/** Averages the hidden states of a text into one vector. Pure. */
import type { PlaceReading } from "../../../runtime/session/page-side/layers.ts";

export interface LayerSizes {
  readonly layerCount: number;
  readonly hiddenSize: number;
}

/** The mean of one layer's hidden states at these places, scaled to length 1. */
export function meanHiddenState(places: readonly PlaceReading[], { hiddenSize }: LayerSizes): Float32Array {
  const sum = new Float64Array(hiddenSize);
  for (const { hidden } of places) {
    if (hidden?.length !== hiddenSize) {
      throw new RangeError(
        `A hidden state has ${hidden?.length ?? 0} numbers, but those of the model have ${hiddenSize}.`,
      );
    }
    for (let at = 0; at < hiddenSize; at += 1) sum[at] = (sum[at] as number) + (hidden[at] as number);
  }
  const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
  return Float32Array.from(sum, (value) => (length === 0 ? 0 : value / length));
}

/** Encodes a vector like OpenAI: 32-bit floats, little-endian, as base64. */
export function base64OfFloats(vector: Float32Array): string {
  const bytes = new DataView(new ArrayBuffer(4 * vector.length));
  for (const [at, value] of vector.entries()) bytes.setFloat32(4 * at, value, true);
  let text = "";
  // The most arguments in one function call.
  const piece = 8_192;
  for (let start = 0; start < bytes.byteLength; start += piece) {
    const length = Math.min(piece, bytes.byteLength - start);
    text += String.fromCharCode(...new Uint8Array(bytes.buffer, start, length));
  }
  return btoa(text);
}
