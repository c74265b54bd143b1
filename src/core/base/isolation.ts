/**
 * The headers by which a browser isolates a page from other origins. Only isolated pages may have threads that share memory.
 * The page fetches everything from other origins with CORS, which both headers allow. A worker's script needs the second
 * header too, or an isolated page may not start the worker.
 */
export const crossOriginIsolationHeaders: Readonly<Record<string, string>> = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};
