/** What is said while the engine opens the layers of a model, which it does once. Pure. */
import type { LayersOpening } from "../../api/session.ts";
import { visibleText } from "../../trace/visible-text.ts";

export function openingWords({ model, progress }: LayersOpening): string {
  const what = `Opening the layers of ${visibleText(model)}, once`;
  if (progress?.stage !== "download" || progress.totalBytes === 0) return `${what} …`;
  return `${what}: ${progress.file}, ${Math.round((100 * progress.loadedBytes) / progress.totalBytes)} % …`;
}
