/** The models of the list and the saved models, as one list. Pure. */

import type { CachedModel } from "../../../runtime/session/page-side/cached-models.ts";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";

export interface OfflineModelRow {
  readonly title: string;
  readonly url: string;
  /** Null for a saved model that the list lacks: the user chose that model by its address. */
  readonly entry: CatalogEntry | null;
  readonly cached: CachedModel | null;
  /** Whether the model belongs to the page's own files. */
  readonly comesWithPage: boolean;
}

/** The page's models first, then the saved ones: the user can see and change something about these. */
export function modelRows(
  catalog: readonly CatalogEntry[],
  cachedModels: readonly CachedModel[],
): readonly OfflineModelRow[] {
  const byUrl = new Map(cachedModels.map((model) => [model.url, model]));
  const listed = catalog.map((entry) => ({
    title: entry.title,
    url: entry.reference.url,
    entry,
    cached: byUrl.get(entry.reference.url) ?? null,
    comesWithPage: entry.origin === "page",
  }));
  const known = new Set(listed.map(({ url }) => url));
  const others = cachedModels
    .filter(({ url }) => !known.has(url))
    .map((model) => ({
      title: nameOf(model.url),
      url: model.url,
      entry: null,
      cached: model,
      comesWithPage: false,
    }));
  const all = [...listed, ...others];
  const own = all.filter(({ comesWithPage }) => comesWithPage);
  const far = all.filter(({ comesWithPage }) => !comesWithPage);
  return [...own, ...far.filter((row) => row.cached !== null), ...far.filter((row) => row.cached === null)];
}

/** `https://huggingface.co/owner/name/resolve/main/` becomes `owner/name`; other addresses lose only their constant parts. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  const path = decodedOr(pathname.replace(/^\/|\/$/g, ""));
  const hub = /^([^/]+\/[^/]+)\/resolve\/([^/]+)$/.exec(path);
  if (hub?.[1]) return hub[2] === "main" ? hub[1] : `${hub[1]}, revision ${hub[2]}`;
  return `${host}/${path}`;
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
