/** Describes a model in a few words before it is chosen. Pure. */

import type {
  AvailableWeights,
  JudgedWeights,
} from "../../../runtime/session/page-side/available-weights.ts";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import { formatBytes, formatCount } from "../../../view/ui/format.ts";

const origins: Readonly<Record<CatalogEntry["origin"], string>> = {
  page: "comes with the page",
  hub: "from Hugging Face",
  folder: "from your folder",
};

/** The source of the model's files. Two exports of one model differ in source, weights and size. */
export function modelOrigin({ origin }: CatalogEntry): string {
  return origins[origin];
}

/** Headings of the list, in its order. */
export const modelListHeadings = [
  "Saved in this browser",
  "Tiny: runs on any device",
  "Small: a GPU helps",
  "Medium: needs a good GPU",
  "Large: needs 8 GB of memory and is slow",
] as const;

/** The heading that the model stands under. */
export function modelListHeading({ origin, tier }: CatalogEntry): (typeof modelListHeadings)[number] {
  const [here, tiny, small, medium, large] = modelListHeadings;
  if (origin !== "hub") return here;
  return { story: tiny, tiny, small, medium, large }[tier ?? "tiny"];
}

/** The metadata, apart from the size, that helps a user decide for or against the model. */
export function modelMetadataLine(entry: CatalogEntry): string {
  const { webgpu, wasm } = entry.reference.dtype;
  const labels = [
    entry.parameters !== null && `${formatParameters(entry.parameters)} parameters`,
    `${webgpu === wasm ? webgpu : `${webgpu} or ${wasm}`} weights`,
    entry.contextLength > 0 && `${formatCount(entry.contextLength)} tokens of context`,
    entry.licence,
    entry.needs.length > 0 && `needs ${entry.needs.join(", ")}`,
  ];
  return labels.filter(Boolean).join(" · ");
}

/** A count of parameters as model names have it: 260,032 is 260K, 135,000,000 is 135M, 1,700,000,000 is 1.7B. */
export function formatParameters(count: number): string {
  if (count >= 1e9) return `${Number((count / 1e9).toPrecision(2))}B`;
  return count >= 1e6 ? `${Math.round(count / 1e6)}M` : `${Math.round(count / 1e3)}K`;
}

/** Describes the download. A size that was never measured is marked as such. */
export function downloadSizeLabel({ downloadBytes, measured }: CatalogEntry): string {
  if (downloadBytes === 0) return "size not known";
  return `${measured ? "" : "about "}${formatBytes(downloadBytes)}`;
}

/** A warning about this model on this device; null if there is none. */
export function modelCaution({ weights: [first] }: AvailableWeights): string | null {
  if (!first || first.fitness === "good") return null;
  return first.fitness === "impossible" ? `Does not run here. ${first.reason}` : first.reason;
}

/** The warning in three words, for the list. */
export function shortModelCaution({ weights: [first] }: AvailableWeights): string | null {
  if (!first || first.fitness === "good") return null;
  return first.fitness === "impossible" ? "Does not run here." : "May be slow or too large here.";
}

const places = { webgpu: "WebGPU", wasm: "WebAssembly" } as const;

/** One set of weights, beside its name and size. */
export function weightsFitnessNote({ fitness, isRecommended, device, reason }: JudgedWeights): string {
  if (fitness === "good") return isRecommended ? `recommended, on ${places[device]}` : `on ${places[device]}`;
  return `${isRecommended ? "the best choice for this device. " : ""}${reason}`;
}

/** The memory of a text beside the weights; null if unknown. */
export function kvCacheSizeLabel({ cacheBytes, weights: [first] }: AvailableWeights): string | null {
  if (cacheBytes === null || !first) return null;
  const isHalf = (first.dtype === "q4f16" || first.dtype === "fp16") && first.device === "webgpu";
  const bytes = isHalf ? cacheBytes.float16 : cacheBytes.float32;
  return `The KV cache uses ${formatBytes(1000 * bytes)} of memory per 1,000 tokens (${isHalf ? "float16" : "float32"})`;
}
