/** Checks which addresses of model servers the page may ask. Pure. */
import { hostInMessages, redactInvalidAddress } from "../../../core/base/invalid-address.ts";

/** Reads the address that the user typed, without a slash at its end; or a sentence that says why the page cannot ask it. */
export function parseServerAddress(text: string): { readonly url: string } | { readonly problem: string } {
  const typed = text.trim();
  const url = URL.canParse(typed) ? new URL(typed) : null;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    return {
      problem: `“${redactInvalidAddress(typed)}” is not an address. Type one that begins with https://, or http://127.0.0.1 and the port, such as http://127.0.0.1:9931.`,
    };
  const host = hostInMessages(url.href);
  const hasUser = url.username !== "" || url.password !== "" || host !== url.host;
  if (hasUser || url.search !== "" || url.hash !== "")
    return {
      problem: `The address typed for ${host} has a user name, a ? or a #. Remove that part. Type the key into its own field.`,
    };
  if (url.protocol === "http:" && url.hostname !== "localhost" && url.hostname !== "127.0.0.1")
    return {
      problem: `A page can send http: requests only to its own computer (localhost or 127.0.0.1), not to ${url.host}. Start the page with npm start -- --engine ${url.origin}, or give the server an https: address.`,
    };
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, "")}` };
}

/**
 * The address at which the page's own server passes requests on to a model server (`npm start -- --engine URL`). `base`: the
 * address of the page.
 */
export function relayAddress(base: string): string {
  return new URL("engine", base).href;
}
