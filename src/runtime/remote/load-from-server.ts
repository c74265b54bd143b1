/** Loads a model in a browser: its passes run on the server that the user named. */

import type { ModelReference } from "../engine/base/model-reference.ts";
import { createFetchWithAccess } from "../engine/download/hub-access.ts";
import { createUrlSource } from "../engine/files/url-source.ts";
import type { LoadOptions, ModelBundle } from "../engine/load/load-model.ts";
import { createBrowserExchange } from "./browser-exchange.ts";
import { serverAddress } from "./connection.ts";
import type { HttpExchange } from "./exchange.ts";
import { loadRemoteModel } from "./load-remote-model.ts";
import { RemoteEngineError } from "./remote-error.ts";

/**
 * A reference may come from a saved workspace, so a server is asked only if the user named it.
 * @throws as `loadRemoteModel`; RemoteEngineError for a server that the user did not name
 */
export async function loadPermittedRemoteModel(
  reference: ModelReference,
  { serverAccess, hubAccess, source, onNotice, ...options }: LoadOptions,
  exchange: HttpExchange = createBrowserExchange(),
): Promise<ModelBundle> {
  if (!serverAccess || serverAddress(serverAccess.url) !== reference.server)
    throw new RemoteEngineError(
      "address",
      `${reference.id} runs on the server ${reference.server}, whose address you have not entered in this browser. Open the model menu, choose "Your own server" and enter the address there.`,
    );
  const folder =
    source ?? createUrlSource(reference.url, { fetch: createFetchWithAccess(hubAccess ?? null), onNotice });
  return loadRemoteModel(reference, { ...options, source: folder, access: serverAccess, exchange, onNotice });
}
