/**
 * The headers with which a browser isolates a page from those of other origins, which is what it asks for before it gives a
 * page's code threads that share memory. All that the page loads from elsewhere it fetches with CORS, which both leave alone.
 * A worker's script needs the second one too, or an isolated page may not start it.
 */
export const isolationHeaders: Readonly<Record<string, string>> = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};
