/** An entry of the catalog for tests of saved models. */
import type { CatalogEntry } from "../shared/catalog.ts";

/** The model `what` in the hub's folder `who/what`, whose files are at `url`. */
export function createHubCatalogEntry(url: string, changes: Partial<CatalogEntry> = {}): CatalogEntry {
  return {
    title: "what",
    description: "",
    origin: "hub",
    hub: "who/what",
    licence: "MIT",
    contextLength: 1,
    downloadBytes: 100,
    needs: [],
    suggestedPrompt: "",
    tier: null,
    parameters: null,
    architecture: null,
    chatTemplate: null,
    measured: true,
    weights: [{ dtype: "q4", bytes: 100 }],
    float16Overflows: false,
    reference: { id: "what", url, revision: null, dtype: { webgpu: "q4", wasm: "int8" } },
    ...changes,
  };
}
