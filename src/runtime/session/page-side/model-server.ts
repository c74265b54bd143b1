/** Finds model servers that a page may use. */

import { importProgramPart } from "../../../core/base/import-part.ts";
import { checkOptionKeys } from "../../../core/base/known-keys.ts";
import { type ServerAccess, serverAccessKeys } from "../../../core/base/server-access.ts";
import type { RelayState, ServerFound } from "../../remote/ask-server.ts";

export type { RelayState, ServerFound };

const loadCode = () =>
  importProgramPart(
    "The code that uses model servers",
    () => import("../../remote/ask-server.ts"),
    "identifyServer",
  );

/**
 * Asks a llama.cpp, vLLM or SGLang server which model it runs.
 * @throws Error with one sentence about the problem: no answer, a refused origin or key, a server that is not ready, or
 * another program; the signal's reason when aborted.
 */
export async function findModelServer(
  access: ServerAccess,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ServerFound> {
  checkOptionKeys("findModelServer", access, serverAccessKeys);
  checkOptionKeys("The options of findModelServer", options, { signal: true });
  const { identifyServer } = await loadCode();
  return identifyServer(access, options);
}

/**
 * Asks whether a page's own server forwards requests to a model server (`npm start -- --engine URL`); null if it does not.
 * @throws the signal's reason when aborted.
 */
export async function findRelay(
  url: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<RelayState | null> {
  checkOptionKeys("findRelay", options, { signal: true });
  const { identifyRelayedServer } = await loadCode();
  return identifyRelayedServer(url, options);
}
