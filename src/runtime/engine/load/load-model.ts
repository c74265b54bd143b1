/** From a reference to a model that answers: files, device, tokenizer, chat template. */

import type { HubAccess } from "../../../core/base/hub-token.ts";
import type { ServerAccess } from "../../../core/base/server-access.ts";
import type { LanguageModel } from "../../../core/decoder/ports/language-model.ts";
import {
  createTokenizer,
  type JsonObject,
  type ModelTokenizer,
  type TokenizerData,
} from "../../../core/tokenizer/create-tokenizer.ts";
import { mostBytesOfToken } from "../../../core/tokenizer/prompt-bytes.ts";
import { timed } from "../base/load-timing.ts";
import { ModelFileError } from "../base/model-file-error.ts";
import type { DevicePreference, LoadedModel, LoadProgress, ModelReference } from "../base/model-reference.ts";
import { deviceMetadata } from "../choose/device.ts";
import { modelMetadataOf } from "../choose/model-metadata.ts";
import { planLoad, settleWeights } from "../choose/plan-load.ts";
import { fetchWithAccess } from "../download/hub-access.ts";
import { type ModelDescription, type ModelGraph, readDescription } from "../files/files.ts";
import type { ModelSource } from "../files/model-source.ts";
import { readWeights } from "../files/read-weights.ts";
import { urlSource } from "../files/url-source.ts";
import type { CreatedModel, CreateModelOptions } from "../graph/created-model.ts";
import { UnsupportedGraphError, UnsupportedOnDeviceError } from "../onnx/decoder-graph.ts";
import type { GraphSummary } from "../onnx/graph-summary.ts";
import { webAssemblyFault } from "../onnx/inspect.ts";
import {
  createPromptFormatter,
  type PromptFormatter,
  type Prompts,
  promptsOf,
} from "../prompt/chat-template.ts";
import { templateText, withMarksAsText } from "../prompt/reasoning-marks.ts";
import { thinkingMode } from "../prompt/thinking.ts";
import { prepareWasmRuntime } from "../wasm/wasm-module.ts";
import { createModel } from "./create-model.ts";

export interface LoadOptions {
  /** Cancels at any moment; loading then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Awaited before weights of so many bytes are handed to the device: whoever keeps other models may free some. */
  readonly makeRoom?: ((bytes: number) => Promise<void>) | undefined;
  /** Where the files come from, instead of the reference's address. */
  readonly source?: ModelSource | undefined;
  /** Shown to the hub, for gated and private models. `source` does without. */
  readonly hubAccess?: HubAccess | null | undefined;
  /** The server that the user named, for references that run on one. `loadModel` refuses these. */
  readonly serverAccess?: ServerAccess | null | undefined;
  /** Called with what a server's model has to say while it runs. `loadModel` has nothing to say then. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** The model is to have `layers`, for those who read and steer its passes from inside. */
  readonly openLayers?: boolean | undefined;
  /** Makes the tokenizer and the chat template; the caller may watch how long that takes, since a hostile file may keep it from ending. */
  readonly aroundTokenizer?: Around | undefined;
}

type Around = <Made>(make: () => Made) => Made;

const unwatched: Around = (make) => make();

/** Everything that a request needs of a model. */
export interface ModelBundle extends Prompts {
  readonly model: LanguageModel;
  /** The model with an empty context of its own. There if conversations run side by side, as on a server; the caller disposes of it. */
  readonly startConversation?: () => LanguageModel;
  readonly tokenizer: ModelTokenizer;
  /** The data from which the sandbox makes its own tokenizer. */
  readonly tokenizerData: TokenizerData;
  /** generation_config.json, `{}` where there is none. */
  readonly generationConfig: JsonObject;
  readonly info: LoadedModel;
  /** See CreatedModel. */
  readonly lensBytes?: number;
  readonly isThroughLibrary?: true;
}

/**
 * Loads a model. The caller disposes of `model`; loading two at once needs the memory of both.
 * @throws ModelFileError when a file is missing, damaged or broke off; UnsupportedGraphError for graphs that do not run here, and for
 * those whose layers are to be opened and are not found (nothing was made room for then);
 * Error when the wanted device is not there; the signal's reason when cancelled.
 */
export async function loadModel(
  reference: ModelReference,
  device: DevicePreference,
  options: LoadOptions = {},
): Promise<ModelBundle> {
  if (reference.server !== undefined) throw new Error(runsOnServer);
  const notices: string[] = [];
  const source =
    options.source ??
    urlSource(reference.url, {
      fetch: fetchWithAccess(options.hubAccess ?? null),
      onNotice: (notice) => notices.push(notice),
    });
  let isKept = false;
  const onProgress = (progress: LoadProgress): void => {
    isKept ||= progress.fromCache;
    options.onProgress?.(progress);
  };
  const load = () => loadFrom(source, reference, device, { ...options, onProgress, notices });
  try {
    return await load();
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!isKept || error instanceof UnsupportedGraphError) throw error;
    // The cached files may be damaged. If they are not, the failure stands.
    const repaired = (await source.repair?.({ signal: options.signal, onProgress }).catch(() => [])) ?? [];
    options.signal?.throwIfAborted();
    if (repaired.length === 0) throw error;
    notices.push(`Damaged parts of ${repaired.join(", ")} were fetched again.`);
    return load();
  }
}

const runsOnServer =
  "The model is set to run on a server, and this engine runs models itself. In Node, create the engine with the option `remote`.";

interface LoadFromOptions extends LoadOptions {
  /** Notices beside the reason for the device, including those that arrive while the model is loaded. */
  readonly notices: readonly string[];
}

async function loadFrom(
  source: ModelSource,
  reference: ModelReference,
  device: DevicePreference,
  { signal, onProgress, notices, makeRoom, openLayers, aroundTokenizer = unwatched }: LoadFromOptions,
): Promise<ModelBundle> {
  const lookingAround = timed("device", deviceMetadata);
  lookingAround.catch(() => undefined);
  if (device === "wasm") prepareInBackground();
  const description = await timed("describe", () => readDescription(source, { signal, onProgress }));
  const prepared = await timed("tokenizer", () =>
    aroundTokenizer(() => prepareTokenizer(description, vocabularySizeOf(description.config))),
  );
  const model = modelMetadataOf(description.config);
  const facts = await lookingAround;
  const settled = await settleWeights(reference, source, model, facts, signal);
  let because = "";
  for (const attempt of planLoad(reference.id, settled, device, model, facts)) {
    const check = attempt.device === "wasm" ? refuseOnWasm : undefined;
    if (attempt.device === "wasm") prepareInBackground();
    const weights = await timed("open weights", () =>
      readWeights(source, attempt.dtype, { signal, onProgress }, check),
    );
    const { file, bytes } = weights;
    if (!openLayers) await makeRoom?.(bytes);
    const onLayersFound = async (lensBytes: number) => makeRoom?.(bytes + lensBytes);
    const layers = openLayers ? { openLayers, onLayersFound } : {};
    const created = await create(
      { ...weights, ...description, ...layers, device: attempt.device, signal },
      (stage) => onProgress?.({ stage, file, loadedBytes: bytes, totalBytes: bytes, fromCache: false }),
    );
    if (created instanceof Error) {
      if (attempt.isLast) throw created;
      because = `WebGPU cannot be used: ${created.message}`;
      continue;
    }
    const reason = [attempt.because, because, settled.choice(attempt.dtype), created.reason, ...notices]
      .filter((part) => part !== "")
      .join(" ");
    return bundle(reference, prepared, { ...created, reason }, weights, aroundTokenizer);
  }
  throw new Error(`No device was found for ${reference.id}. This is a bug in Midtoken: please report it.`);
}

/** Fetches and compiles the runtime while the files arrive. A failure is ignored here; the code that needs the runtime reports it. */
function prepareInBackground(): void {
  prepareWasmRuntime().catch(() => undefined);
}

/** Reads and writes a model's text, without its weights. */
export type TextParts = Pick<ModelBundle, "tokenizer" | "tokenizerData" | keyof Prompts>;

/**
 * The tokenizer and the chat template alone: a few of the model's files, and never its weights.
 * @param vocabularySize rows of the model's logits, which the files do not always say
 * @throws ModelFileError when a file is missing, damaged or broke off; the signal's reason when cancelled.
 */
export async function loadTextParts(
  reference: ModelReference,
  vocabularySize: number,
  options: TextOptions = {},
): Promise<TextParts> {
  const { tokenizer, tokenizerData, formatter } = await readTokenizer(reference, vocabularySize, options);
  return { tokenizer, tokenizerData, ...promptsOf(formatter) };
}

type TextOptions = Omit<LoadOptions, "onProgress">;

/** Everything of a model that does not depend on its weights. */
export interface TextBundle extends TextParts, Pick<ModelBundle, "generationConfig"> {
  readonly endOfSequence: readonly number[];
  readonly info: Pick<LoadedModel, "chatTemplate" | "thinking">;
  /** Most bytes of text that a token stands for; null if nothing bounds them. */
  readonly bytesOfToken: number | null;
}

/** As `loadTextParts`, for a model whose passes run elsewhere. */
export async function loadTextBundle(
  reference: ModelReference,
  vocabularySize: number,
  options: TextOptions = {},
): Promise<TextBundle> {
  const prepared = await readTokenizer(reference, vocabularySize, options);
  const { description, tokenizer, tokenizerData, formatter } = prepared;
  return {
    tokenizer,
    tokenizerData,
    ...promptsOf(formatter),
    generationConfig: description.generationConfig,
    endOfSequence: tokenizerData.eosTokenIds,
    info: { chatTemplate: formatter.chatTemplate, thinking: thinkingMode(formatter.thinking) },
    bytesOfToken: mostBytesOfToken(description.tokenizerJson),
  };
}

async function readTokenizer(
  reference: ModelReference,
  vocabularySize: number,
  { signal, source = urlSource(reference.url), aroundTokenizer = unwatched }: TextOptions,
): Promise<PreparedTokenizer> {
  const description = await readDescription(source, { signal });
  return aroundTokenizer(() => prepareTokenizer(description, vocabularySize));
}

function refuseOnWasm(summary: GraphSummary, file: string): void {
  const fault = webAssemblyFault(summary);
  if (fault !== null) throw new UnsupportedOnDeviceError(`${file} does not run on WebAssembly. ${fault}`);
}

/** The model, or why the device cannot run it. @throws the signal's reason when cancelled. */
async function create(
  options: Omit<CreateModelOptions, "onStage">,
  onStage: (stage: "compile" | "check") => void,
): Promise<CreatedModel | Error> {
  try {
    const created = await createModel({ ...options, onStage });
    if (!options.signal?.aborted) return created;
    await created.model.dispose();
  } catch (error) {
    options.signal?.throwIfAborted();
    return error instanceof Error ? error : new Error(String(error));
  }
  throw options.signal.reason;
}

interface PreparedTokenizer {
  readonly description: ModelDescription;
  readonly tokenizer: ModelTokenizer;
  readonly tokenizerData: TokenizerData;
  readonly formatter: PromptFormatter;
}

/** Makes the tokenizer and the chat template before the weights are downloaded, so that a fault in their files is known early. */
function prepareTokenizer(description: ModelDescription, vocabSize: number): PreparedTokenizer {
  const { tokenizerConfig, endOfSequence } = description;
  const eosTokenIds = endOfSequence.filter((token) => token < vocabSize);
  const template = templateText(tokenizerConfig.chat_template);
  const tokenizerJson = withMarksAsText(description.tokenizerJson, template, eosTokenIds);
  const tokenizerData: TokenizerData = { tokenizerJson, tokenizerConfig, vocabSize, eosTokenIds };
  try {
    const tokenizer = createTokenizer(tokenizerData);
    return {
      description,
      tokenizer,
      tokenizerData,
      formatter: createPromptFormatter(tokenizerConfig, tokenizer),
    };
  } catch (cause) {
    if (cause instanceof ModelFileError) throw cause;
    const message = `tokenizer.json cannot be used: ${(cause as Error).message}`;
    throw new ModelFileError(message, "tokenizer.json", null, { cause });
  }
}

/**
 * The size of the vocabulary by config.json, and more than any vocabulary where config.json does not say. In the end the
 * width of the logits decides.
 */
function vocabularySizeOf(config: JsonObject): number {
  const nested = config.text_config as JsonObject | null | undefined;
  const size = config.vocab_size ?? nested?.vocab_size;
  return typeof size === "number" ? size : 2 ** 20;
}

async function bundle(
  reference: ModelReference,
  prepared: PreparedTokenizer,
  { model, device, adapter, reason, ...more }: CreatedModel,
  { file, bytes }: ModelGraph,
  aroundTokenizer: Around,
): Promise<ModelBundle> {
  try {
    const { vocabularySize, capacity } = model;
    const isRight = prepared.tokenizerData.vocabSize === vocabularySize;
    const { description, tokenizer, tokenizerData, formatter } = isRight
      ? prepared
      : aroundTokenizer(() => prepareTokenizer(prepared.description, vocabularySize));
    const { chatTemplate } = formatter;
    const thinking = thinkingMode(formatter.thinking);
    const info = {
      id: reference.id,
      device,
      file,
      adapter,
      reason,
      vocabularySize,
      capacity,
      chatTemplate,
      thinking,
      bytes,
    };
    const perToken = mostBytesOfToken(description.tokenizerJson);
    const promptBytes = perToken === null ? {} : { promptBytes: perToken * capacity };
    const { generationConfig } = description;
    return {
      model,
      tokenizer,
      tokenizerData,
      ...promptsOf(formatter),
      generationConfig,
      info: { ...info, ...promptBytes },
      ...more,
    };
  } catch (error) {
    await model.dispose();
    throw error;
  }
}
