/**
 * @huggingface/transformers with this engine's runtime instead of its own: when it is imported, the library uses the runtime
 * in `globalThis[Symbol.for("onnxruntime")]` (its `backends/onnx.js`). So the library makes no sessions, and downloads
 * neither a runtime (by default from a CDN) nor model files. The engine uses its model classes,
 * which know the inputs of each family's graphs.
 */
import { UnsupportedGraphError } from "../onnx/decoder-graph.ts";
import { loadTransformers } from "../ort/load-runtime.ts";
import type { TransformersPackage } from "../ort/runtime-parts.ts";
import type { LibrarySession } from "./library-session.ts";
import { RuntimeTensor } from "./tensor-runtime.ts";

/** Tokens that follow the tokens in the cache. */
export interface LibraryPass {
  readonly tokens: readonly number[];
  /** Number of tokens in the cache. */
  readonly past: number;
  /** How many of the last tokens need logits, if the graph can compute fewer than all. */
  readonly rows: number;
  /** The cache's tensors, by the names of the graph's inputs. */
  readonly cache: ReadonlyMap<string, RuntimeTensor>;
}

/** One of the library's models, over given sessions. */
export interface LibraryModel {
  /**
   * Returns the logits and the new cache, by the names of the graph's outputs. The caller owns them. @throws Error of the
   * runtime
   */
  forward(pass: LibraryPass): Promise<ReadonlyMap<string, RuntimeTensor>>;
}

/** The graphs of a model, by the library's names for them. */
export type LibrarySessions = Readonly<Record<string, LibrarySession>>;

export interface TransformersLibrary {
  readonly version: string;
  /**
   * @throws UnsupportedGraphError for models that do not write text token by token, or that the library does not support.
   */
  createModel(config: Readonly<Record<string, unknown>>, sessions: LibrarySessions): Promise<LibraryModel>;
}

let loaded: Promise<TransformersLibrary> | null = null;

/** The library, one copy per page. @throws Error if it cannot be fetched; a later call tries again */
export function loadTransformersLibrary(): Promise<TransformersLibrary> {
  loaded ??= importLibrary().catch((error: unknown) => {
    loaded = null;
    throw error;
  });
  return loaded;
}

const slot: unique symbol = Symbol.for("onnxruntime") as never;

async function importLibrary(): Promise<TransformersLibrary> {
  const place = globalThis as { [slot]?: unknown };
  const before = place[slot];
  place[slot] = runtime;
  try {
    const library = await loadTransformers();
    refuseOwnRuntime(library);
    return {
      version: library.env.version,
      createModel: (config, sessions) => createLibraryModel(library, config, sessions),
    };
  } finally {
    if (before === undefined) delete place[slot];
    else place[slot] = before;
  }
}

/** The runtime that the library gets when it is imported. The engine makes its sessions. */
const runtime = { Tensor: RuntimeTensor, InferenceSession: class {}, env: {} };

class Sample extends RuntimeTensor {
  readonly location = "cpu";
  dispose(): void {}
}

/** @throws Error if the library was imported before, and so has a runtime of its own. */
function refuseOwnRuntime(library: TransformersPackage): void {
  const sample = new Sample("float32", [1]);
  try {
    if (new library.Tensor(sample as never).ort_tensor === (sample as unknown)) return;
  } catch {
    // A runtime of the library's own rejects the sample.
  }
  throw new Error(
    "This thread already uses @huggingface/transformers with a different runtime. Load the model in a worker, or choose an export that does not need this library.",
  );
}

/** The interface that all model classes of the library have. */
interface LibraryModelClass {
  new (
    config: object,
    sessions: object,
    configs: object,
  ): { forward(inputs: object): Promise<Readonly<Record<string, { readonly ort_tensor: unknown }>>> };
}

async function createLibraryModel(
  library: TransformersPackage,
  config: Readonly<Record<string, unknown>>,
  sessions: LibrarySessions,
): Promise<LibraryModel> {
  const Model = modelClass(library, config);
  // With a config, nothing is fetched, and the name does not matter.
  const normalized = await library.AutoConfig.from_pretrained("", { config: config as never });
  const model = new Model(normalized, sessions, {});
  return { forward: (pass) => forward(library, model, sessions, pass) };
}

/** The library's class for a model. @throws UnsupportedGraphError if it has no class that writes text */
function modelClass(
  library: TransformersPackage,
  config: Readonly<Record<string, unknown>>,
): LibraryModelClass {
  const type = String(config.model_type);
  if (config.is_encoder_decoder === true) {
    throw new UnsupportedGraphError(
      `A "${type}" model has an encoder and a decoder: it reads one text and writes another, but does not continue a text. Choose a model for text generation (a decoder alone).`,
    );
  }
  for (const { MODEL_CLASS_MAPPINGS } of [
    library.AutoModelForCausalLM,
    library.AutoModelForImageTextToText,
  ]) {
    const name = MODEL_CLASS_MAPPINGS[0]?.get(type);
    const Model = name && (library as unknown as Record<string, LibraryModelClass | undefined>)[name];
    if (Model) return Model;
  }
  throw new UnsupportedGraphError(
    `@huggingface/transformers ${library.env.version} has no "${type}" model that writes text: this kind of model is for embeddings, classification or media, or is newer than the library. Choose a model for text generation.`,
  );
}

async function forward(
  { Tensor, DynamicCache }: TransformersPackage,
  model: InstanceType<LibraryModelClass>,
  sessions: LibrarySessions,
  { tokens, past, rows, cache }: LibraryPass,
): Promise<ReadonlyMap<string, RuntimeTensor>> {
  const int64 = (values: BigInt64Array, dims: number[]) => new Tensor("int64", values, dims);
  const count = tokens.length;
  const entries = [...cache].map(([name, tensor]) => [name, new Tensor(tensor as never)] as const);
  const inputs: Record<string, unknown> = {
    input_ids: int64(BigInt64Array.from(tokens, BigInt), [1, count]),
    attention_mask: int64(new BigInt64Array(past + count).fill(1n), [1, past + count]),
    past_key_values: new DynamicCache(Object.fromEntries(entries)),
  };
  const known = Object.values(sessions).flatMap(({ inputMetadata }) => inputMetadata);
  const keep = known.find(({ name }) => name === "num_logits_to_keep");
  if (keep) {
    const ones = keep.shape.map(() => 1);
    inputs.num_logits_to_keep = int64(BigInt64Array.of(BigInt(Math.max(1, rows))), ones);
  }
  const positions = known.find(({ name }) => name === "position_ids");
  // The positions in time, height and width are equal for text; the library would compute others from images.
  if (positions?.shape.length === 3) {
    const axes = typeof positions.shape[0] === "number" ? positions.shape[0] : 3;
    const values = BigInt64Array.from({ length: axes * count }, (_, i) => BigInt(past + (i % count)));
    inputs.position_ids = int64(values, [axes, 1, count]);
  }
  return outputsOf(model.forward(inputs), sessions);
}

/** The outputs of the last session that ran. The outputs of the others are freed. */
async function outputsOf(
  work: Promise<Readonly<Record<string, { readonly ort_tensor: unknown }>>>,
  sessions: LibrarySessions,
): Promise<ReadonlyMap<string, RuntimeTensor>> {
  const ran = Object.values(sessions);
  let outputs: Awaited<typeof work> = {};
  let thrown: unknown = null;
  try {
    outputs = await work;
  } catch (error) {
    thrown = error;
  }
  const failure = ran.map((session) => session.takeFailure()).find((error) => error !== null) ?? thrown;
  const given = new Map<string, RuntimeTensor>();
  for (const [name, value] of Object.entries(outputs)) {
    if (value?.ort_tensor instanceof RuntimeTensor) given.set(name, value.ort_tensor);
  }
  const kept = new Set(failure === null ? given.values() : []);
  for (const tensor of ran.flatMap((session) => session.takeMade())) {
    if (!kept.has(tensor)) tensor.dispose();
  }
  if (failure !== null) throw failure;
  return given;
}
