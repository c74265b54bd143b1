/** Reads the bench's option `--shapes`: models of real shapes, with the number of layers to generate. */
import { type GeneratedModelName, namedShapes } from "./shapes.ts";

export interface WantedShape {
  readonly name: GeneratedModelName;
  /** All layers of the shape unless given. */
  readonly layers?: number;
}

/** Reads `--shapes`, for example "smollm2-135m-random:4,qwen3-0.6b". @throws Error for an unknown name or an invalid number of layers */
export function readShapesOption(option = "smollm2-135m-random,qwen3-0.6b"): WantedShape[] {
  return option.split(",").map((text) => {
    const [name = "", layers] = text.split(":");
    if (!Object.hasOwn(namedShapes, name))
      throw new Error(`--shapes has "${name}". It can have ${Object.keys(namedShapes).join(", ")}.`);
    if (layers === undefined) return { name: name as GeneratedModelName };
    if (!/^[1-9]\d*$/.test(layers))
      throw new Error(`--shapes has "${text}". Behind the colon stands a number of layers.`);
    return { name: name as GeneratedModelName, layers: Number(layers) };
  });
}
