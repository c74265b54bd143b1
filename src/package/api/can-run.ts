/** `canRun`: whether this device can run a model, decided before anything is downloaded. */

import type { HubToken } from "../../core/base/hub-token.ts";
import { importProgramPart } from "../../core/base/import-part.ts";
import { checkOptionKeys, type OptionKeys } from "../../core/base/known-keys.ts";
import type { RunForecast } from "../../runtime/session/page-side/can-run.ts";
import type { DevicePreference, ModelReference } from "../../runtime/session/shared/protocol.ts";
import { checkDevice, hubAccessOf, modelReadFailedError, modelReferenceOf } from "./model-reference.ts";

export type { RunForecast };

export interface CanRunOptions {
  /** The dtype of the weights, as in `createEngine`. */
  readonly dtype?: string;
  readonly device?: DevicePreference;
  /** For a gated or private model: an access token of the hub. */
  readonly hubToken?: HubToken;
  /** The base of relative addresses; the page by default. */
  readonly base?: string;
  readonly signal?: AbortSignal;
}

const optionKeys: OptionKeys<CanRunOptions> = {
  dtype: true,
  device: true,
  hubToken: true,
  base: true,
  signal: true,
};

/**
 * Says whether this device can run the model, from config.json and the list of its files. No weights are downloaded.
 *
 * @example
 * const { answer, reason, downloadBytes } = await canRun("onnx-community/SmolLM2-135M-Instruct-ONNX");
 * if (answer === "no") show(reason);
 * @throws ApiError if the model cannot be found or read; the signal's reason when aborted.
 */
export async function canRun(
  model: ModelReference | string,
  options: CanRunOptions = {},
): Promise<RunForecast> {
  checkOptionKeys("canRun", options, optionKeys);
  const { dtype, device = "auto", base = globalThis.document?.baseURI, hubToken, signal } = options;
  checkDevice(device);
  const reference = modelReferenceOf(model, dtype, base);
  const hubAccess = hubAccessOf(hubToken);
  const load = () => import("../../runtime/session/page-side/can-run.ts");
  const { forecastRun } = await importProgramPart("The model check", load, "forecastRun");
  try {
    return await forecastRun(reference, { device, hubAccess, signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw modelReadFailedError(error, model);
  }
}
