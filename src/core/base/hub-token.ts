/**
 * The access token of a hub account, for gated and private models. The token goes to the hub's own origin and nowhere else: not
 * to the host that the hub redirects large files to, not into a trace, a link, an error or a log.
 */

import { redactInvalidAddress } from "./invalid-address.ts";
import { refuseUnknownKeys } from "./known-keys.ts";

/** Address of the hub to which model ids without an address refer. */
export const hubHost = "https://huggingface.co";

/** A token for https://huggingface.co, or for another server with the hub's addresses. */
export type HubToken = string | { readonly token: string; readonly origin: string };

/** Plain data: the page sends it to the engine's worker. */
export interface HubAccess {
  readonly token: string;
  /** For example "https://huggingface.co". */
  readonly origin: string;
}

/** @throws Error if the token or the origin is invalid. The message never contains the token. */
export function parseHubToken(given: HubToken): HubAccess {
  const { token, origin } = typeof given === "string" ? { token: given, origin: hubHost } : given;
  const refuse = (message: string) => new Error(`The hub token: ${message}`);
  if (typeof given === "object") refuseUnknownKeys(given, ["token", "origin"], "", refuse);
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    throw new Error(
      "The hub token is empty or has characters that no token has, such as a space or a line break. Copy the token again from the hub's settings (Access Tokens).",
    );
  }
  const url = typeof origin === "string" && URL.canParse(origin) ? new URL(origin) : null;
  if (url?.protocol !== "https:" && url?.hostname !== "localhost" && url?.hostname !== "127.0.0.1") {
    throw new Error(
      `The hub token would be sent to "${redactInvalidAddress(String(origin))}": give an origin that begins with https://, so that nobody else can read the token.`,
    );
  }
  return { token, origin: (url as URL).origin };
}
