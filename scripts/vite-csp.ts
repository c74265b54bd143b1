/**
 * A Vite plugin: writes the page's content security policy into the built index.html. Dev builds have no policy, because Vite's
 * own scripts are inline. The local server also sends the policy as a header (`response-headers.ts`).
 */
import type { Plugin } from "vite";
import { sandboxBootstrapHash } from "./vite-guest.ts";
import { signallingOriginSources } from "./vite-live.ts";

/** One line for each directive, with the reason for sources other than `'self'`. */
export const pageCspDirectives: Readonly<Record<string, string>> = {
  "default-src": "'self'",
  // WebAssembly of the runtime; the inline script of the sandbox frames, which inherit this policy; `blob:` for the scripts that
  // these frames make for a mod's worker.
  "script-src": `'self' 'wasm-unsafe-eval' '${sandboxBootstrapHash}' blob:`,
  "worker-src": "'self' blob:",
  "frame-src": "'self'",
  // The page fetches model folders from any address that the user types. A mod in its frame can reach no address. A signalling
  // server is on the page's own origin, or the build was given its address.
  "connect-src": [
    "'self'",
    "https:",
    "http://localhost:*",
    "http://127.0.0.1:*",
    ...signallingOriginSources(),
  ].join(" "),
  // Monaco and React write inline styles.
  "style-src": "'self' 'unsafe-inline'",
  "img-src": "'self' data: blob:",
  "font-src": "'self'",
  "object-src": "'none'",
  "base-uri": "'none'",
  "form-action": "'none'",
};

/** The policy as a header and as a `<meta>` element state it. */
export const pageCspText = Object.entries(pageCspDirectives)
  .map(([directive, sources]) => `${directive} ${sources}`)
  .join("; ");

export function contentSecurityPolicy(): Plugin {
  const attrs = { "http-equiv": "Content-Security-Policy", content: pageCspText };
  return {
    name: "midtoken-csp",
    apply: "build",
    transformIndexHtml: () => [{ tag: "meta", attrs, injectTo: "head-prepend" }],
  };
}
