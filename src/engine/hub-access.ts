/**
 * The access token of a hub account, for gated and private models. The token goes to the hub's own origin and nowhere else: not
 * to the host that the hub redirects large files to (browsers and Node drop the header there, as the Fetch standard says), not
 * into a trace, a link, an error or a log.
 */
import { hubHost } from "./hub-folder.ts";

/** A token for https://huggingface.co, or for another server with the hub's addresses. */
export type HubToken = string | { readonly token: string; readonly origin: string };

/** Plain data: the page sends it to the engine's worker. */
export interface HubAccess {
  readonly token: string;
  /** For example "https://huggingface.co". */
  readonly origin: string;
}

/** @throws Error when the token or the origin cannot be used. The message never contains the token. */
export function readHubToken(given: HubToken): HubAccess {
  const { token, origin } = typeof given === "string" ? { token: given, origin: hubHost } : given;
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    throw new Error(
      "The hub token is empty or has characters that no token has, such as a space or a line break. Copy it again from the hub's settings (Access Tokens).",
    );
  }
  const url = typeof origin === "string" && URL.canParse(origin) ? new URL(origin) : null;
  if (url?.protocol !== "https:" && url?.hostname !== "localhost" && url?.hostname !== "127.0.0.1") {
    throw new Error(
      `The hub token is for "${String(origin)}": give an origin that begins with https://, so that nobody reads the token on its way.`,
    );
  }
  return { token, origin: (url as URL).origin };
}

/** `fetch` that shows the token to the hub; null for no token is plain `fetch`. */
export function fetchWithAccess(access: HubAccess | null): typeof fetch {
  if (access === null) return (input, init) => fetch(input, init);
  return (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    if (!URL.canParse(address) || new URL(address).origin !== access.origin) return fetch(input, init);
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${access.token}`);
    return fetch(input, { ...init, headers });
  };
}
