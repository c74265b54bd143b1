/** Decides which files of the page are saved for use without a network. Pure; the service worker follows it. */

/** The page's files, as the build lists them for the service worker; addresses are relative to the page. */
export interface PageFiles {
  /** Kept from the first visit on: the page, and what shows a link. The revision is null if the name says it. */
  readonly shell: readonly { readonly url: string; readonly revision: string | null }[];
  /** Every file under `assets/`, each with a hash in its name: kept once it was used. */
  readonly assets: readonly string[];
  /**
   * By the path of a script, the runtimes (`.wasm`, packed) that it cannot do without. They are too large for the cache of some browsers,
   * so that they are not found there.
   */
  readonly needs: Readonly<Record<string, readonly string[]>>;
  /** Every file of the page's own models, kept once the engine was used. */
  readonly models: readonly string[];
  /** How large each of all these is. */
  readonly bytes: Readonly<Record<string, number>>;
}

/** The service worker's answer: the files of the page, and the name of the cache for those under `assets/`. */
export interface PageCache {
  readonly files: PageFiles;
  readonly assetCache: string;
}

/** Name of a built file without its hash: `assets/engine-worker-vVe-gwIG.js` is `engine-worker.js`. */
export function stemOf(path: string): string {
  return (path.split("/").at(-1) ?? "").replace(/-[\w-]{8}(\.\w+)$/, "$1");
}

/**
 * Files of a new version that stand for files of an earlier one which this browser had kept: whoever has used the editor
 * offline wants the new one too.
 */
export function carriedOver(assets: readonly string[], kept: readonly string[]): readonly string[] {
  const stems = new Set(kept.map(stemOf));
  const have = new Set(kept);
  return assets.filter((path) => stems.has(stemOf(path)) && !have.has(path));
}

/** How a request is answered; null: as without a service worker. */
export type Answer = "page" | "asset" | "model" | "local-model" | "list" | null;

interface Asked {
  readonly url: string;
  readonly method: string;
  readonly mode: string;
  /** The destination of the response: "" is data that a script reads. */
  readonly destination: string;
  readonly hasRange: boolean;
}

/**
 * Only the page's own document is answered as one: a model's files are data for the page's scripts, and whoever opens one as a
 * document gets it from the server, with the headers that keep it from running.
 */
export function answerTo({ url, method, mode, destination, hasRange }: Asked, scope: string): Answer {
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
