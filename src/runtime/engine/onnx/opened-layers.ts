/** A graph whose layers can be read and steered, without how it is made (`open-layers.ts`). */

/** The names of one layer's inputs and outputs. */
export interface LayerNames {
  /** Input `(hidden)`: added to every token's row of the stream after the layer. */
  readonly steering: string;
  /** Output `(1, tokens, hidden)`: the stream after the layer, with the added input. */
  readonly hidden: string;
}

export interface OpenedLayers {
  /** The rewritten file; its external weights stay in the same places. */
  readonly graph: Uint8Array;
  /** Final norm and head (`lensNames`), a file of its own with the same weights. */
  readonly lens: Uint8Array;
  /** Bytes of the weights that are loaded twice, by the graph and by the lens. */
  readonly lensBytes: number;
  readonly layers: readonly LayerNames[];
  readonly hiddenSize: number;
  /** See LensGraph. */
  readonly selectsRows: boolean;
  /** Type of the stream, of what steers it too. */
  readonly type: "float32" | "float16";
}
