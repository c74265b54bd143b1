/** Finds the model that a command line names: a folder, an address, or an id of the hub. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ModelReference } from "../../runtime/engine/base/model-reference.ts";
import { serverAddress } from "../../runtime/remote/connection.ts";
import { modelReferenceOf } from "../api/model-reference.ts";

/**
 * A path that begins with `.` or `/`, or that exists, is a folder; `modelReferenceOf` reads all other texts.
 * @param dtype by default, the best of the available weights is chosen when the model is loaded
 * @throws Error that says what to write, for a folder that does not exist; ApiError for a text that names no model.
 */
export async function modelOf(model: string, dtype?: string): Promise<ModelReference> {
  const isPath = /^(?:\.{0,2}\/|\.{1,2}$|[A-Za-z]:[\\/])/.test(model);
  const folder = resolve(model);
  const found = URL.canParse(model) && !isPath ? null : await stat(folder).catch(() => null);
  if (found === null && !isPath) return modelReferenceOf(model, dtype);
  if (!found?.isDirectory()) {
    throw new Error(
      `There is no folder ${folder}: give a model's folder, its address, or its id on Hugging Face (owner/name).`,
    );
  }
  return modelReferenceOf(pathToFileURL(`${folder}/`).href, dtype);
}

/** The reference to the same model on a server. @throws RemoteEngineError if the address cannot be used */
export function referenceOnServer(model: ModelReference, url: string): ModelReference {
  return { ...model, server: serverAddress(url) };
}
