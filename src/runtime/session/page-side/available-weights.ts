/** Finds the weights of a model that this device can use: of a model in the list, at an address, or in a picked folder. */

import type { HubAccess } from "../../../core/base/hub-token.ts";
import { checkOptionKeys } from "../../../core/base/known-keys.ts";
import { isRecord } from "../../../core/base/record.ts";
import type { ModelReference } from "../../engine/base/model-reference.ts";
import { cacheBytesPerToken } from "../../engine/choose/catalog.ts";
import {
  dtypePerDevice,
  type JudgedWeights,
  judgeWeights,
  type ModelMetadata,
} from "../../engine/choose/choose-weights.ts";
import { modelMetadataOf } from "../../engine/choose/model-metadata.ts";
import { createFetchWithAccess } from "../../engine/download/hub-access.ts";
import { type RefusedGraph, weightsAmong } from "../../engine/download/list-weights.ts";
import { readConfig } from "../../engine/files/files.ts";
import { createFilesSource, type PickedFiles } from "../../engine/files/files-source.ts";
import { createUrlSource } from "../../engine/files/url-source.ts";
import { type CatalogEntry, describeDevice } from "../shared/catalog.ts";

export type { JudgedWeights, PickedFiles, RefusedGraph };

/** The available weights in a model's folder. */
export interface AvailableWeights {
  /** The recommended weights first; empty if there are none. */
  readonly weights: readonly JudgedWeights[];
  readonly refused: readonly RefusedGraph[];
  /** The dtype for each device; null if there are no weights. */
  readonly dtype: ModelReference["dtype"] | null;
  /** Bytes of the KV cache for each token, in float16 and float32; null if config.json lacks the sizes. */
  readonly cacheBytes: { readonly float16: number; readonly float32: number } | null;
  /** The longest context, in tokens, that the model was made for; 0 if config.json does not say. */
  readonly contextLength: number;
}

export interface AvailableWeightsOptions {
  readonly files?: PickedFiles | undefined;
  /** Access token for the hub, for gated and private models. */
  readonly hubAccess?: HubAccess | null;
  readonly signal?: AbortSignal;
}

/**
 * Lists the weights at the model's address, or among picked files, and judges them for this device. Reads only
 * config.json.
 * @throws ModelFileError if the folder cannot be listed or has no config.json; the signal's reason when cancelled.
 */
export async function availableWeights(
  reference: Pick<ModelReference, "id" | "url">,
  options: AvailableWeightsOptions = {},
): Promise<AvailableWeights> {
  checkOptionKeys("availableWeights", options, { files: true, hubAccess: true, signal: true });
  const { files, signal, hubAccess = null } = options;
  const source = files
    ? createFilesSource(reference.id, files)
    : createUrlSource(reference.url, { store: null, fetch: createFetchWithAccess(hubAccess) });
  const [device, listed, config] = await Promise.all([
    describeDevice(),
    source.list({ signal }),
    readConfig(source, { signal }),
  ]);
  const { weights, refused } = weightsAmong(listed);
  const model = modelMetadataOf(config);
  const { max_position_embeddings: length } = isRecord(config.text_config) ? config.text_config : config;
  return {
    weights: judgeWeights(weights, model, device),
    refused,
    dtype: weights.length === 0 ? null : dtypePerDevice(weights, model, device),
    cacheBytes: cacheBytesOf(model),
    contextLength: typeof length === "number" ? length : 0,
  };
}

/** Like `availableWeights`, for an entry of the list. Reads no file. */
export async function availableWeightsOfEntry(entry: CatalogEntry): Promise<AvailableWeights> {
  const { weights, contextLength } = entry;
  const device = await describeDevice();
  const judged = judgeWeights(weights, entry, device);
  const dtype = dtypePerDevice(weights, entry, device);
  return { weights: judged, refused: [], dtype, cacheBytes: cacheBytesOf(entry), contextLength };
}

function cacheBytesOf({ architecture }: ModelMetadata): AvailableWeights["cacheBytes"] {
  if (architecture === null) return null;
  return {
    float16: cacheBytesPerToken(architecture, 2),
    float32: cacheBytesPerToken(architecture, 4),
  };
}
