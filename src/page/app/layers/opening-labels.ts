/** Labels while the engine opens the layers of a model, which it does once. Pure. */

import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import type { LayersOpening } from "../../../runtime/session/page-side/layers.ts";

export function layersOpeningSentence({ model, progress }: LayersOpening): string {
  const what = `Preparing the layers of ${showInvisibleCharacters(model)} (only needed once)`;
  if (progress?.stage !== "download" || progress.totalBytes === 0) return `${what} …`;
  return `${what}: ${progress.file}, ${Math.round((100 * progress.loadedBytes) / progress.totalBytes)}% …`;
}
