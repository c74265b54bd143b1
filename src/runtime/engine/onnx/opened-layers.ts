/** The types of a graph whose layers can be read and steered. `open-layers.ts` makes such graphs. */

/** The names of one layer's inputs and outputs. */
export interface LayerNames {
  /** Input `(hidden)`: added to every token's row of the stream after the layer. */
  readonly steering: string;
  /** Output `(1, tokens, hidden)`: the stream after the layer, with the added input. */
  readonly hidden: string;
}

export interface OpenedLayers {
  /** The rewritten file. Its external weights stay where they are. */
  readonly graph: Uint8Array;
  /** Final norm and output matrix (`lensNames`) as a separate file that uses the same weights. */
  readonly lens: Uint8Array;
  /** Bytes of the weights that are loaded twice: with the graph and with the lens. */
  readonly lensBytes: number;
  readonly layers: readonly LayerNames[];
  readonly hiddenSize: number;
  /** See LensGraph. */
  readonly selectsRows: boolean;
  /** Type of the stream and of the steering vectors. */
  readonly type: "float32" | "float16";
}
