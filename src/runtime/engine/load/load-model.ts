/** Loads a model from its reference: files, device, tokenizer, chat template. */

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
import { timeStage } from "../base/load-timing.ts";
import { ModelFileError } from "../base/model-file-error.ts";
import type { DevicePreference, LoadProgress, ModelInfo, ModelReference } from "../base/model-reference.ts";
import { queryDeviceMetadata } from "../choose/device.ts";
import { modelMetadataOf } from "../choose/model-metadata.ts";
import { planLoad, settleWeights } from "../choose/plan-load.ts";
import { createFetchWithAccess } from "../download/hub-access.ts";
import { type ModelDescription, type ModelGraph, readDescription } from "../files/files.ts";
import type { ModelSource } from "../files/model-source.ts";
import { readWeights } from "../files/read-weights.ts";
import { createUrlSource } from "../files/url-source.ts";
import { UnsupportedGraphError, UnsupportedOnDeviceError } from "../onnx/decoder-graph.ts";
import type { GraphSummary } from "../onnx/graph-summary.ts";
import { webAssemblyFault } from "../onnx/inspect.ts";
import {
  createPromptFormatter,
  type PromptFormatter,
  type PromptFunctions,
  promptFunctionsOf,
} from "../prompt/chat-template.ts";
import { templateText, withNonSpecialReasoningTokens } from "../prompt/reasoning-marks.ts";
import { thinkingMode } from "../prompt/thinking.ts";
import { prepareWasmRuntime } from "../wasm/wasm-module.ts";
import { createModel } from "./create-model.ts";
import type { CreatedModel, CreateModelOptions } from "./created-model.ts";

export interface LoadOptions {
  /** Cancels at any moment; loading then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Awaited before `bytes` bytes of weights go to the device, so that the caller can free other models. */
  readonly makeRoom?: ((bytes: number) => Promise<void>) | undefined;
  /** The source of the files, instead of the reference's address. */
  readonly source?: ModelSource | undefined;
  /** The access token for the hub, for gated and private models. Not used with `source`. */
  readonly hubAccess?: HubAccess | null | undefined;
  /** The server that the user named, for references to a model on a server. `loadModel` refuses such references. */
  readonly serverAccess?: ServerAccess | null | undefined;
  /** Called with notices of a model on a server while it runs. `loadModel` never calls this function. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** Whether the model gets `layers`, with which its residual stream can be read and steered. */
  readonly openLayers?: boolean | undefined;
  /** Called around the making of tokenizer and chat template. The caller can limit the time, because a hostile file may make this work endless. */
  readonly aroundTokenizer?: WrapTokenizerWork | undefined;
}

type WrapTokenizerWork = <Made>(make: () => Made) => Made;

const runDirectly: WrapTokenizerWork = (make) => make();

/** Everything that a request needs from a model. */
export interface ModelBundle extends PromptFunctions {
  readonly model: LanguageModel;
  /** Makes a model with an empty context of its own, which the caller disposes of. Present if the model answers several requests at the same time, as on a server. */
  readonly startConversation?: () => LanguageModel;
  readonly tokenizer: ModelTokenizer;
  /** The data from which the sandbox makes its own tokenizer. */
  readonly tokenizerData: TokenizerData;
  /** generation_config.json; `{}` if the file does not exist. */
  readonly generationConfig: JsonObject;
  readonly info: ModelInfo;
  /** See CreatedModel. */
  readonly lensBytes?: number;
  readonly isThroughLibrary?: true;
}

/**
 * Loads a model. The caller disposes of `model`. Loading two models at once needs the memory of both.
 * @throws ModelFileError if a file is missing, damaged or incomplete; UnsupportedGraphError for graphs that do not run here,
 * and if layers are to be opened but are not found (then `makeRoom` was not called); Error if the requested device does not
 * exist; the signal's reason when cancelled.
 */
export async function loadModel(
  reference: ModelReference,
  device: DevicePreference,
  options: LoadOptions = {},
): Promise<ModelBundle> {
  if (reference.server !== undefined) throw new Error(runsOnServerMessage);
  const notices: string[] = [];
  const source =
    options.source ??
    createUrlSource(reference.url, {
      fetch: createFetchWithAccess(options.hubAccess ?? null),
      onNotice: (notice) => notices.push(notice),
    });
  let usedCachedFiles = false;
  const onProgress = (progress: LoadProgress): void => {
    usedCachedFiles ||= progress.fromCache;
    options.onProgress?.(progress);
  };
  const load = () => loadFrom(source, reference, device, { ...options, onProgress, notices });
  try {
    return await load();
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!usedCachedFiles || error instanceof UnsupportedGraphError) throw error;
    // The cached files may be damaged. If no file was damaged, throw the first error.
    const repaired = (await source.repair?.({ signal: options.signal, onProgress }).catch(() => [])) ?? [];
    options.signal?.throwIfAborted();
    if (repaired.length === 0) throw error;
    notices.push(`Damaged parts of ${repaired.join(", ")} were fetched again.`);
    return load();
  }
}

const runsOnServerMessage =
  "The model is set to run on a server, but this engine runs models itself. In Node, create the engine with the option `remote`.";

interface LoadFromOptions extends LoadOptions {
  /** Sentences that are added to the reason for the device, including notices that arrive while the model is loaded. */
  readonly notices: readonly string[];
}

async function loadFrom(
  source: ModelSource,
  reference: ModelReference,
  device: DevicePreference,
  { signal, onProgress, notices, makeRoom, openLayers, aroundTokenizer = runDirectly }: LoadFromOptions,
): Promise<ModelBundle> {
  const queryingDevice = timeStage("device", queryDeviceMetadata);
  queryingDevice.catch(() => undefined);
  if (device === "wasm") prepareInBackground();
  const description = await timeStage("describe", () => readDescription(source, { signal, onProgress }));
  const prepared = await timeStage("tokenizer", () =>
    aroundTokenizer(() => prepareTokenizer(description, vocabularySizeOf(description.config))),
  );
  const model = modelMetadataOf(description.config);
  const deviceMetadata = await queryingDevice;
  const settledWeights = await settleWeights(reference, source, model, deviceMetadata, signal);
  let whyNotWebGpu = "";
  for (const attempt of planLoad(reference.id, settledWeights, device, model, deviceMetadata)) {
    const check = attempt.device === "wasm" ? refuseOnWasm : undefined;
    if (attempt.device === "wasm") prepareInBackground();
    const weights = await timeStage("opening weights", () =>
      readWeights(source, attempt.dtype, { signal, onProgress }, check),
    );
    const { file, bytes } = weights;
    if (!openLayers) await makeRoom?.(bytes);
    const onLayersFound = async (lensBytes: number) => makeRoom?.(bytes + lensBytes);
    const layers = openLayers ? { openLayers, onLayersFound } : {};
    const created = await createOrExplain(
      { ...weights, ...description, ...layers, device: attempt.device, signal },
      (stage) => onProgress?.({ stage, file, loadedBytes: bytes, totalBytes: bytes, fromCache: false }),
    );
    if (created instanceof Error) {
      if (attempt.isLast) throw created;
      whyNotWebGpu = `WebGPU cannot be used: ${created.message}`;
      continue;
    }
    const reason = [
      attempt.because,
      whyNotWebGpu,
      settledWeights.choice(attempt.dtype),
      created.reason,
      ...notices,
    ]
      .filter((part) => part !== "")
      .join(" ");
    return createBundle(reference, prepared, { ...created, reason }, weights, aroundTokenizer);
  }
  throw new Error(`No device was found for ${reference.id}. This is a bug in Midtoken: please report it.`);
}

/** Fetches and compiles the runtime while the files are downloaded. A failure is ignored here: the code that needs the runtime reports it. */
function prepareInBackground(): void {
  prepareWasmRuntime().catch(() => undefined);
}

/** The parts of a model that convert between text and tokens, without the weights. */
export type TokenizerAndPrompts = Pick<ModelBundle, "tokenizer" | "tokenizerData" | keyof PromptFunctions>;

/**
 * Loads only the tokenizer and the chat template: a few files, never the weights.
 * @param vocabularySize width of the model's logits, which the files do not always contain
 * @throws ModelFileError if a file is missing, damaged or incomplete; the signal's reason when cancelled.
 */
export async function loadTokenizerAndPrompts(
  reference: ModelReference,
  vocabularySize: number,
  options: TokenizerLoadOptions = {},
): Promise<TokenizerAndPrompts> {
  const { tokenizer, tokenizerData, formatter } = await readTokenizer(reference, vocabularySize, options);
  return { tokenizer, tokenizerData, ...promptFunctionsOf(formatter) };
}

type TokenizerLoadOptions = Omit<LoadOptions, "onProgress">;

/** Everything of a model that does not depend on its weights. */
export interface BundleWithoutWeights extends TokenizerAndPrompts, Pick<ModelBundle, "generationConfig"> {
  readonly endOfSequence: readonly number[];
  readonly info: Pick<ModelInfo, "chatTemplate" | "thinking">;
  /** The longest text, in bytes, that one token stands for; null if there is no limit. */
  readonly bytesOfToken: number | null;
}

/** Like `loadTokenizerAndPrompts`, for a model whose passes run on a server. */
export async function loadBundleWithoutWeights(
  reference: ModelReference,
  vocabularySize: number,
  options: TokenizerLoadOptions = {},
): Promise<BundleWithoutWeights> {
  const prepared = await readTokenizer(reference, vocabularySize, options);
  const { description, tokenizer, tokenizerData, formatter } = prepared;
  return {
    tokenizer,
    tokenizerData,
    ...promptFunctionsOf(formatter),
    generationConfig: description.generationConfig,
    endOfSequence: tokenizerData.eosTokenIds,
    info: { chatTemplate: formatter.chatTemplate, thinking: thinkingMode(formatter.thinking) },
    bytesOfToken: mostBytesOfToken(description.tokenizerJson),
  };
}

async function readTokenizer(
  reference: ModelReference,
  vocabularySize: number,
  { signal, source = createUrlSource(reference.url), aroundTokenizer = runDirectly }: TokenizerLoadOptions,
): Promise<PreparedTokenizer> {
  const description = await readDescription(source, { signal });
  return aroundTokenizer(() => prepareTokenizer(description, vocabularySize));
}

function refuseOnWasm(summary: GraphSummary, file: string): void {
  const fault = webAssemblyFault(summary);
  if (fault !== null) throw new UnsupportedOnDeviceError(`${file} does not run on WebAssembly. ${fault}`);
}

/** The model, or the reason why the device cannot run it. @throws the signal's reason when cancelled */
async function createOrExplain(
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

/** Makes the tokenizer and the chat template before the weights are downloaded, so that errors in their files are reported early. */
function prepareTokenizer(description: ModelDescription, vocabSize: number): PreparedTokenizer {
  const { tokenizerConfig, endOfSequence } = description;
  const eosTokenIds = endOfSequence.filter((token) => token < vocabSize);
  const template = templateText(tokenizerConfig.chat_template);
  const tokenizerJson = withNonSpecialReasoningTokens(description.tokenizerJson, template, eosTokenIds);
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
 * The size of the vocabulary from config.json; if it is missing, a number larger than any vocabulary. Later the width of the
 * logits replaces this number.
 */
function vocabularySizeOf(config: JsonObject): number {
  const nested = config.text_config as JsonObject | null | undefined;
  const size = config.vocab_size ?? nested?.vocab_size;
  return typeof size === "number" ? size : 2 ** 20;
}

async function createBundle(
  reference: ModelReference,
  prepared: PreparedTokenizer,
  { model, device, adapter, reason, ...more }: CreatedModel,
  { file, bytes }: ModelGraph,
  aroundTokenizer: WrapTokenizerWork,
): Promise<ModelBundle> {
  try {
    const { vocabularySize, capacity } = model;
    const hasRightSize = prepared.tokenizerData.vocabSize === vocabularySize;
    const { description, tokenizer, tokenizerData, formatter } = hasRightSize
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
    const bytesOfToken = mostBytesOfToken(description.tokenizerJson);
    const promptBytes = bytesOfToken === null ? {} : { promptBytes: bytesOfToken * capacity };
    const { generationConfig } = description;
    return {
      model,
      tokenizer,
      tokenizerData,
      ...promptFunctionsOf(formatter),
      generationConfig,
      info: { ...info, ...promptBytes },
      ...more,
    };
  } catch (error) {
    await model.dispose();
    throw error;
  }
}
