/** Loads a model for the page's worker: on this machine, or on the server that the reference names. */
import { importProgramPart } from "../../../core/base/import-part.ts";
import type { DevicePreference, ModelReference } from "../../engine/base/model-reference.ts";
import { type LoadOptions, loadModel, type ModelBundle } from "../../engine/load/load-model.ts";

/** @throws the errors of `loadModel` and `loadPermittedRemoteModel`; ProgramPartError if the code for servers cannot be fetched. */
export async function loadHereOrOnServer(
  reference: ModelReference,
  device: DevicePreference,
  options: LoadOptions = {},
): Promise<ModelBundle> {
  if (reference.server === undefined) return loadModel(reference, device, options);
  // Most pages never use a server, so its code is fetched when one is chosen.
  const { loadPermittedRemoteModel } = await importProgramPart(
    "The code that uses model servers",
    () => import("../../remote/load-from-server.ts"),
    "loadPermittedRemoteModel",
  );
  return loadPermittedRemoteModel(reference, options);
}
