/**
 * Sends the hub's access token to the hub only. Browsers and Node drop the header if the hub redirects to another host, as
 * the Fetch standard requires (https://fetch.spec.whatwg.org/#http-redirect-fetch, step 13).
 */
import type { HubAccess } from "../../../core/base/hub-token.ts";

/** A `fetch` that sends the token to the hub; plain `fetch` if `access` is null. */
export function createFetchWithAccess(access: HubAccess | null): typeof fetch {
  if (access === null) return (input, init) => fetch(input, init);
  return (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    if (!URL.canParse(address) || new URL(address).origin !== access.origin) return fetch(input, init);
    // As in the Fetch standard, the headers of `init` replace those of the request.
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    headers.set("authorization", `Bearer ${access.token}`);
    return fetch(input, { ...init, headers });
  };
}
