/** The types that an author of mods with layers and vectors relies on. `npm run check` checks them: nothing here runs. */
import { mod } from "./index.ts";

// @ts-expect-error neither a list of layers nor "all"
mod({ layers: "every", added: () => null });

// Vectors.
mod({
  layers: "all",
  lens: [3],
  forwardPass(event, actions) {
    const state: Float32Array = event.hiddenState(event.layerCount - 1);
    const [first] = event.lens(3, 1);
    // @ts-expect-error the number of tokens is missing
    event.lens(3);
    if (first?.logprob === 0) return actions.steer([{ layer: 1, vector: state, scale: 2, name: "cheerful" }]);
    // @ts-expect-error the layer is missing
    actions.steer({ vector: state });
    // @ts-expect-error a patch replaces the hidden state, so it has no scale
    actions.patch({ layer: 1, vector: state, scale: 2 });
    return actions.patch({ layer: 1, vector: new Array<number>(event.hiddenSize).fill(0) });
  },
});
