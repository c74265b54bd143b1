/** Plans a load: weights, device, and what to try if they fail. The plan needs no weights. */

import { ModelFileError } from "../base/model-file-error.ts";
import type { DevicePreference, ModelReference } from "../base/model-reference.ts";
import { weightsAmong } from "../download/list-weights.ts";
import type { ModelSource } from "../files/model-source.ts";
import {
  type DeviceMetadata,
  dtypePerDevice,
  judgeOnWasm,
  judgeOnWebGpu,
  type ModelMetadata,
} from "./choose-weights.ts";

/** One attempt of `loadModel`: a file on a device. */
export interface LoadAttempt {
  readonly device: DevicePreference;
  readonly dtype: string;
  /** Why the preferred device is not tried first, as a sentence; "" if it is. The reason of a second attempt is the error of the first. */
  readonly because: string;
  /** No further attempt follows: if this one fails, the load fails. */
  readonly isLast: boolean;
}

/** The dtype for each device. If the reference leaves it open, it was chosen from the files of the folder. */
export interface SettledWeights {
  readonly dtype: { readonly webgpu: string; readonly wasm: string };
  /** A sentence that names the available weights and the chosen ones; empty if nothing was chosen. */
  readonly choice: (taken: string) => string;
  /** The caller named device and weights: they are used if they can run at all. */
  readonly isAsked: boolean;
}

/** @throws ModelFileError if the folder has no weights, or cannot be listed; the signal's reason when cancelled. */
export async function settleWeights(
  { id, dtype }: ModelReference,
  source: ModelSource,
  model: ModelMetadata,
  device: DeviceMetadata,
  signal: AbortSignal | undefined,
): Promise<SettledWeights> {
  if (dtype.webgpu !== "auto" && dtype.wasm !== "auto") return { dtype, choice: () => "", isAsked: true };
  const { weights, refused } = weightsAmong(await source.list({ signal }));
  if (weights.length === 0) {
    const [first] = refused;
    const why = first
      ? ` ${first.path}: ${first.reason}`
      : " Choose a model that has a folder named onnx with a file such as model.onnx.";
    throw new ModelFileError(
      `No weights for the model ${id} were found in ${source.address}.${why}`,
      "onnx/",
      404,
    );
  }
  const best = dtypePerDevice(weights, model, device);
  const names = weights.map((each) => each.dtype).join(", ");
  return {
    dtype: {
      webgpu: dtype.webgpu === "auto" ? best.webgpu : dtype.webgpu,
      wasm: dtype.wasm === "auto" ? best.wasm : dtype.wasm,
    },
    choice: (taken) =>
      weights.length > 1
        ? `The model has weights of the types ${names}; ${taken} suits this device best.`
        : "",
    isAsked: false,
  };
}

/** @throws Error, with the reason, if no device can run the weights. */
export function planLoad(
  id: string,
  { dtype, isAsked }: SettledWeights,
  device: DevicePreference,
  model: ModelMetadata,
  metadata: DeviceMetadata,
): LoadAttempt[] {
  const onWebGpu = judgeOnWebGpu({ dtype: dtype.webgpu, bytes: null }, model, metadata);
  const onWasm = judgeOnWasm({ dtype: dtype.wasm, bytes: null }, model, metadata);
  const wasm: LoadAttempt = { device: "wasm", dtype: dtype.wasm, because: "", isLast: true };
  if (device === "wasm") {
    if (isAsked || onWasm.fitness !== "impossible") return [wasm];
    throw new Error(
      `${id} cannot run on WebAssembly, the device that you chose. ${onWasm.reason} Choose WebGPU or another model.`,
    );
  }
  if (device === "webgpu") {
    if (onWebGpu.fitness !== "impossible") return [{ ...wasm, device, dtype: dtype.webgpu }];
    throw new Error(`You chose WebGPU, which cannot be used. ${onWebGpu.reason} Choose WebAssembly instead.`);
  }
  // A model that can run on neither device is refused before anything is downloaded.
  const canFallBack = onWasm.fitness !== "impossible";
  if (onWebGpu.fitness === "impossible" && !canFallBack) {
    throw new Error(
      `${id} cannot run on this device. ${onWebGpu.reason} ${onWasm.reason} Choose other weights or another model.`,
    );
  }
  if (canFallBack && (onWebGpu.fitness === "impossible" || metadata.webgpu?.isSoftware)) {
    return [{ ...wasm, because: onWebGpu.reason }];
  }
  const webgpu: LoadAttempt = { device: "webgpu", dtype: dtype.webgpu, because: "", isLast: !canFallBack };
  if (!canFallBack) return [webgpu];
  return dtype.webgpu === dtype.wasm ? [{ ...wasm, device }] : [webgpu, wasm];
}
