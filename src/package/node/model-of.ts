/** A model as it is named on a command line: a folder, an address, or an id of the hub. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ModelReference } from "../../runtime/engine/base/model-reference.ts";
import { serverAddress } from "../../runtime/remote/connection.ts";
import { modelReferenceOf } from "../api/model-reference.ts";

/**
 * A path that begins with `.` or `/` or is there is a folder; other texts are as `modelReferenceOf` reads them.
 * @param dtype where none is given, the best of what lies there is chosen when it is loaded.
 * @throws Error, which says what to give, for a folder that is not there; ApiError for what is no model.
 */
export async function modelOf(model: string, dtype?: string): Promise<ModelReference> {
  const isPath = /^(?:\.{0,2}\/|\.{1,2}$|[A-Za-z]:[\\/])/.test(model);
  const folder = resolve(model);
  const found = URL.canParse(model) && !isPath ? null : await stat(folder).catch(() => null);
  if (found === null && !isPath) return modelReferenceOf(model, dtype);
  if (!found?.isDirectory()) {
    throw new Error(
      `There is no folder ${folder}: give a model's folder, its address, or its id on the hub (owner/name).`,
    );
  }
  return modelReferenceOf(pathToFileURL(`${folder}/`).href, dtype);
}

/** The model as a server runs it. @throws RemoteEngineError for an address that cannot be used. */
export function onServer(model: ModelReference, url: string): ModelReference {
  return { ...model, server: serverAddress(url) };
}
