/**
 * Forecasts whether this device can run a model, before any weights are downloaded. The forecast uses the plan that a load
 * would follow (`engine/choose/plan-load.ts`), config.json, and the sizes of the files.
 */

import type { HubAccess } from "../../../core/base/hub-token.ts";
import type { DevicePreference, ModelReference } from "../../engine/base/model-reference.ts";
import {
  type DeviceMetadata,
  judgeOnWasm,
  judgeOnWebGpu,
  type ModelMetadata,
} from "../../engine/choose/choose-weights.ts";
import { modelMetadataOf } from "../../engine/choose/model-metadata.ts";
import { type LoadAttempt, planLoad, settleWeights } from "../../engine/choose/plan-load.ts";
import { createFetchWithAccess } from "../../engine/download/hub-access.ts";
import { weightsAmong } from "../../engine/download/list-weights.ts";
import { readConfig } from "../../engine/files/files.ts";
import type { ModelSource } from "../../engine/files/model-source.ts";
import { createUrlSource } from "../../engine/files/url-source.ts";
import { describeDevice } from "../shared/catalog.ts";

export interface RunForecast {
  /** `slowly`: the model runs, but slower or less exactly than on a better device; `reason` says which. */
  readonly answer: "yes" | "slowly" | "no";
  /** A sentence or two for the user. */
  readonly reason: string;
  /** The device on which a load would run the model; null if the answer is "no". */
  readonly device: "webgpu" | "wasm" | null;
  /** The weights that a load would choose, for example "q4f16"; null if the answer is "no". */
  readonly dtype: string | null;
  /** Size of these weights in bytes; null if the server does not say, or the answer is "no". */
  readonly downloadBytes: number | null;
}

export interface CanRunOptions {
  /** By default "auto". */
  readonly device?: DevicePreference | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Access token for the hub, for gated and private models. */
  readonly hubAccess?: HubAccess | null | undefined;
  /** The source of the files; by default the model's address. */
  readonly source?: ModelSource | undefined;
  /** The device to judge; by default this one. */
  readonly metadata?: DeviceMetadata | undefined;
}

/** @throws ModelFileError if config.json or the list of files cannot be read; the signal's reason when aborted. */
export async function forecastRun(
  reference: ModelReference,
  { device = "auto", signal, hubAccess = null, metadata, ...options }: CanRunOptions = {},
): Promise<RunForecast> {
  const source =
    options.source ??
    createUrlSource(reference.url, { store: null, fetch: createFetchWithAccess(hubAccess) });
  const [known, files, config] = await Promise.all([
    metadata ?? describeDevice(),
    source.list({ signal }),
    readConfig(source, { signal }),
  ]);
  const { weights, refused } = weightsAmong(files);
  if (weights.length === 0) {
    const why = refused[0]?.reason ?? "The model has no file in ONNX format (onnx/model.onnx).";
    return cannot(`Midtoken cannot read any weights of the model ${reference.id}. ${why}`);
  }
  const model = modelMetadataOf(config);
  const listed: ModelSource = { ...source, list: async () => files };
  const settled = await settleWeights(reference, listed, model, known, signal);
  let attempt: LoadAttempt | undefined;
  try {
    [attempt] = planLoad(reference.id, settled, device, model, known);
  } catch (cause) {
    return cannot((cause as Error).message);
  }
  if (!attempt)
    throw new RangeError(
      "Midtoken found no way to load this model. This is a bug in Midtoken: please report it.",
    );
  return judged(attempt, weights.find(({ dtype }) => dtype === attempt.dtype)?.bytes ?? null, model, known);
}

function judged(
  attempt: LoadAttempt,
  bytes: number | null,
  model: ModelMetadata,
  metadata: DeviceMetadata,
): RunForecast {
  const { device, dtype, because } = attempt;
  // With "auto", WebGPU is tried first, and a plan with "auto" always includes WebGPU.
  const where = device === "wasm" ? "wasm" : "webgpu";
  const judge = where === "webgpu" ? judgeOnWebGpu : judgeOnWasm;
  const { fitness, reason } = judge({ dtype, bytes }, model, metadata);
  if (fitness === "impossible") return cannot(`${because} ${reason}`.trim());
  const answer = fitness === "good" ? "yes" : "slowly";
  return { answer, reason: `${because} ${reason}`.trim(), device: where, dtype, downloadBytes: bytes };
}

function cannot(reason: string): RunForecast {
  return { answer: "no", reason, device: null, dtype: null, downloadBytes: null };
}
