/** Reads the tensors that a graph passes on from pass to pass from its inputs and outputs. Pure. */
import { parseConfigSizes, type TensorInfo, UnsupportedGraphError } from "../onnx/decoder-graph.ts";

/** A tensor that a pass returns and the next pass reads. */
export interface CacheSlot {
  readonly input: string;
  readonly output: string;
  readonly type: string;
  /** Shape before the first token. */
  readonly empty: readonly number[];
  /** The axis that grows with the text; null for a state, whose size is fixed. */
  readonly axis: number | null;
}

/**
 * A slot for every input whose name begins with `past`; its output's name begins with `present` instead.
 * @param config config.json; it has sizes that the metadata do not fix
 * @param file for messages
 * @throws UnsupportedGraphError if an input has no output, or an unknown shape.
 */
export function describeCacheSlots(
  inputs: readonly TensorInfo[],
  outputs: readonly TensorInfo[],
  config: Readonly<Record<string, unknown>>,
  file: string,
): CacheSlot[] {
  return inputs
    .filter(({ name }) => name.startsWith("past"))
    .map((input) => {
      const output = input.name.replace(/^past(_key_values)?/, "present");
      if (!outputs.some(({ name }) => name === output)) {
        throw new UnsupportedGraphError(
          `${file} takes "${input.name}" but does not return "${output}", so it cannot continue a text. Choose another export of the model.`,
        );
      }
      const { empty, axis } = emptyShape(input, config, file);
      return { input: input.name, output, type: input.type, empty, axis };
    });
}

/** Names of dimensions that grow with the text: `past_sequence_length`, `total_length`, `past_seq_len`. */
const growing = /seq|past|length|total/i;

function emptyShape(
  { name, shape }: TensorInfo,
  config: Readonly<Record<string, unknown>>,
  file: string,
): { empty: number[]; axis: number | null } {
  const axes = shape.flatMap((size, axis) => (typeof size === "string" && growing.test(size) ? [axis] : []));
  if (axes.length > 1) throw unknownShape(name, shape, file);
  const axis = axes[0] ?? null;
  const empty = shape.map((size, i) => {
    if (typeof size === "number" && size > 0) return size;
    if (i === axis) return 0;
    const known = sizeOf(String(size), i, shape.length, config);
    if (known === null) throw unknownShape(name, shape, file);
    return known;
  });
  return { empty, axis };
}

/** The size of a dimension that the metadata names by a symbol. Keys and values are `(batch, heads, length, head size)`. */
function sizeOf(
  symbol: string,
  index: number,
  rank: number,
  config: Readonly<Record<string, unknown>>,
): number | null {
  const { heads, headSize } = parseConfigSizes(config);
  if (/batch.*heads/i.test(symbol)) return heads;
  if (index === 0) return 1;
  const own = config[symbol];
  if (typeof own === "number") return own;
  if (rank === 4 && index === 1) return heads;
  return rank === 4 && index === 3 ? headSize : null;
}

function unknownShape(name: string, shape: TensorInfo["shape"], file: string): UnsupportedGraphError {
  return new UnsupportedGraphError(
    `${file} does not say what shape "${name}" has (${shape.join(" × ")}), and config.json does not either. Choose another export of the model.`,
  );
}
