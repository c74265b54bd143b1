/** `canRunInNode`: whether this machine can run a model of a folder, an address or the hub. */
import { fileURLToPath } from "node:url";
import { checkOptionKeys, type OptionKeys } from "../../core/base/known-keys.ts";
import type { ModelReference } from "../../runtime/engine/base/model-reference.ts";
import { forecastRun } from "../../runtime/session/page-side/can-run.ts";
import { type CanRunOptions, canRun, type RunForecast } from "../api/can-run.ts";
import { modelReadFailedError } from "../api/model-reference.ts";
import { createFolderSource } from "./folder-source.ts";
import { modelOf } from "./model-of.ts";

export type NodeCanRunOptions = Pick<CanRunOptions, "dtype" | "hubToken" | "signal">;

const optionKeys: OptionKeys<NodeCanRunOptions> = { dtype: true, hubToken: true, signal: true };

/**
 * Like `canRun` of `midtoken`, on WebAssembly, for every kind of model that `createNodeEngine` accepts. Reads config.json
 * and the sizes of the files, but no weights.
 *
 * @example
 * const { answer, reason } = await canRunInNode("./models/stories260k");
 * if (answer === "no") console.error(reason);
 * @throws Error if the folder does not exist; ApiError if the model cannot be found or read; the signal's reason when
 * aborted.
 */
export async function canRunInNode(
  model: ModelReference | string,
  options: NodeCanRunOptions = {},
): Promise<RunForecast> {
  checkOptionKeys("canRunInNode", options, optionKeys);
  const { dtype, hubToken, signal } = options;
  const reference = typeof model === "string" ? await modelOf(model, dtype) : model;
  if (!reference.url.startsWith("file:")) {
    return canRun(reference, {
      device: "wasm",
      ...(hubToken !== undefined && { hubToken }),
      ...(signal && { signal }),
    });
  }
  const source = createFolderSource(fileURLToPath(reference.url));
  try {
    return await forecastRun(reference, { device: "wasm", source, signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw modelReadFailedError(error, reference);
  }
}
