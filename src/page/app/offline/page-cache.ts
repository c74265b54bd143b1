/** Decides which files of the page are saved for use without a network. Pure; the service worker follows it. */

/** The page's files, as the build lists them for the service worker; addresses are relative to the page. */
export interface PageFiles {
  /** Files that are saved at the first visit: the page, and the viewer of links. The revision is null if the name contains it. */
  readonly shell: readonly { readonly url: string; readonly revision: string | null }[];
  /** Every file under `assets/`, each with a hash in its name. A file is saved once it was used. */
  readonly assets: readonly string[];
  /**
   * For the path of a script, the runtimes (`.wasm`, packed) that it needs. The runtimes are too large for the HTTP cache of
   * some browsers.
   */
  readonly needs: Readonly<Record<string, readonly string[]>>;
  /** Every file of the page's own models. They are saved once the engine was used. */
  readonly models: readonly string[];
  /** The size of each of these files, by path. */
  readonly bytes: Readonly<Record<string, number>>;
}

/** The service worker's answer: the files of the page, and the name of the cache for those under `assets/`. */
export interface PageCacheInfo {
  readonly files: PageFiles;
  readonly assetCache: string;
}

/** Name of a built file without its hash: `assets/engine-worker-vVe-gwIG.js` is `engine-worker.js`. */
export function nameWithoutHash(path: string): string {
  return (path.split("/").at(-1) ?? "").replace(/-[\w-]{8}(\.\w+)$/, "$1");
}

/**
 * The files of a new version that replace saved files of an earlier version: a user who has used the editor offline needs the
 * new editor too.
 */
export function replacementsForSaved(
  assets: readonly string[],
  cachedPaths: readonly string[],
): readonly string[] {
  const stems = new Set(cachedPaths.map(nameWithoutHash));
  const have = new Set(cachedPaths);
  return assets.filter((path) => stems.has(nameWithoutHash(path)) && !have.has(path));
}

/** How the service worker responds to a request; null: it leaves the request to the browser. */
export type ResponseSource = "page" | "asset" | "model" | "local-model" | "list" | null;

interface Asked {
  readonly url: string;
  readonly method: string;
  readonly mode: string;
  /** The destination of the response: "" is data that a script reads. */
  readonly destination: string;
  readonly hasRange: boolean;
}

/**
 * Only the page's own document is served as a document. The files of a model are data for the page's scripts; if a user opens
 * such a file as a document, the server sends it, with the headers that keep it from running.
 */
export function responseSourceOf(
  { url, method, mode, destination, hasRange }: Asked,
  scope: string,
): ResponseSource {
  const address = new URL(url);
  const path = `${address.origin}${address.pathname}`;
  if (method !== "GET" || hasRange || !path.startsWith(scope)) return null;
  const below = path.slice(scope.length);
  if (mode === "navigate") return below === "" || below === "index.html" ? "page" : null;
  if (below.startsWith("assets/") || below === "favicon.svg") return "asset";
  if (destination !== "") return null;
  if (below.startsWith("models/")) return "model";
  if (below.startsWith("local-models/")) return "local-model";
  return below === "local-models.json" ? "list" : null;
}
