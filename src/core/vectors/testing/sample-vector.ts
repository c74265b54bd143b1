/** A small vector with all metadata. */
import { steeringVectorText } from "../../sdk/steering-vector.ts";
import type { VectorWithMetadata } from "../known-vector.ts";

export const sampleVector = (name: string): VectorWithMetadata => ({
  text: steeringVectorText({ layer: 1, vector: Float32Array.of(1, 2, -3), name }),
  model: { id: "a/model", layerCount: 2, hiddenSize: 3 },
  texts: { toward: ["Hurray."], away: ["Alas.", "Oh."], tokens: "last", as: "message" },
  share: 0.75,
  stream: 12,
});
