/** What there is to know of a model before it is chosen, in a few words. Pure. */
import type { CatalogEntry } from "../../api/catalog.ts";
import { formatBytes, formatCount } from "../../ui/format.ts";

const origins: Readonly<Record<CatalogEntry["origin"], string>> = {
  page: "comes with the page",
  hub: "from Hugging Face",
  folder: "from your folder",
};

/** Where the model's files come from. Two exports of one model differ in this, in their weights and in their size. */
export function modelOrigin({ origin }: CatalogEntry): string {
  return origins[origin];
}

/** The model's weights, its size and whatever else decides whether it will do. */
export function modelFacts(entry: CatalogEntry): string {
  const { webgpu, wasm } = entry.reference.dtype;
  const facts = [
    `${webgpu === wasm ? webgpu : `${webgpu} or ${wasm}`} weights`,
    entry.downloadBytes > 0 && formatBytes(entry.downloadBytes),
    entry.contextLength > 0 && `${formatCount(entry.contextLength)} tokens of context`,
    entry.licence,
    entry.needs.length > 0 && `needs ${entry.needs.join(", ")}`,
  ];
  return facts.filter(Boolean).join(" · ");
}
