/** A Vite plugin: writes the page's content security policy into the built index.html. Not in dev, where Vite's own scripts are inline. The local server sends it as a header too (`response-headers.ts`). */
import type { Plugin } from "vite";
import { bootstrapHash } from "./vite-guest.ts";
import { signallingElsewhere } from "./vite-live.ts";

/** One line per directive, with the reason for whatever is not `'self'`. */
export const pagePolicy: Readonly<Record<string, string>> = {
  "default-src": "'self'",
  // WebAssembly of the runtime; the one inline script of the sandbox frames, which inherit this policy, and the scripts
  // those frames make: `blob:` lets a mod's worker load what the frame handed it.
  "script-src": `'self' 'wasm-unsafe-eval' '${bootstrapHash}' blob:`,
  "worker-src": "'self' blob:",
  "frame-src": "'self'",
  // The page fetches any model folder whose address the user types; a mod, in its frame, can reach no address at all.
  // A signalling server is this page's own, or the one that the build was told of, by its name.
  "connect-src": [
    "'self'",
    "https:",
    "http://localhost:*",
    "http://127.0.0.1:*",
    ...signallingElsewhere(),
  ].join(" "),
  // Monaco and React write styles.
  "style-src": "'self' 'unsafe-inline'",
  "img-src": "'self' data: blob:",
  "font-src": "'self'",
  "object-src": "'none'",
  "base-uri": "'none'",
  "form-action": "'none'",
};

/** As a header and as a `<meta>` have it. */
export const pagePolicyText = Object.entries(pagePolicy)
  .map(([directive, sources]) => `${directive} ${sources}`)
  .join("; ");

export function contentSecurityPolicy(): Plugin {
  const attrs = { "http-equiv": "Content-Security-Policy", content: pagePolicyText };
  return {
    name: "midtoken-csp",
    apply: "build",
    transformIndexHtml: () => [{ tag: "meta", attrs, injectTo: "head-prepend" }],
  };
}
