/**
 * Shows the access token of the hub to the hub alone. Browsers and Node drop the header when the hub redirects to another host, as
 * the Fetch standard says (https://fetch.spec.whatwg.org/#http-redirect-fetch, step 13).
 */
import type { HubAccess } from "../../../core/base/hub-token.ts";

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
