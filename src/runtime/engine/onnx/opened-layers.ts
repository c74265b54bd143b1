/** A graph whose layers can be read and steered, without how it is made (`open-layers.ts`). */

/** The names of one layer's inputs and outputs. */
export interface LayerNames {
  /** Input `(hidden)`: added to every token's row of the stream behind the layer. */
  readonly steering: string;
  /** Output `(1, tokens, hidden)`: the stream behind the layer, what was added included. */
  readonly hidden: string;
}

export interface OpenedLayers {
  /** The rewritten file; its weights lie where they lay. */
  readonly graph: Uint8Array;
  /** Final norm and head (`lensNames`), a file of its own with the same weights. */
  readonly lens: Uint8Array;
  /** Bytes of the weights that the lens holds beside the graph, which has them too. */
  readonly lensBytes: number;
  readonly layers: readonly LayerNames[];
  readonly hiddenSize: number;
  /** See LensGraph. */
  readonly selectsRows: boolean;
  /** Type of the stream, of what steers it too. */
  readonly type: "float32" | "float16";
}
