/** The models that the page offers: those in models.json, and those in the folder that `npm start -- --models DIR` serves. */
import modelList from "../../../../models.json";
import { isRecord } from "../../../core/base/record.ts";
import type { ListedWeights } from "../../engine/base/dtype.ts";
import { isDtype } from "../../engine/base/dtype.ts";
import { type CatalogEntry, type CatalogFile, parseCatalog } from "../../engine/choose/catalog.ts";
import { type DeviceMetadata, dtypePerDevice } from "../../engine/choose/choose-weights.ts";
import { queryDeviceMetadata } from "../../engine/choose/device.ts";
import { modelMetadataOf } from "../../engine/choose/model-metadata.ts";
import { filesForWeights } from "../../engine/download/list-weights.ts";

export type { CatalogEntry };

/** Requested once, because the adapter does not change while the page is open. */
let thisDevice: Promise<DeviceMetadata> | null = null;

/** This device's WebGPU adapter and memory, by which weights are chosen before a model is loaded. */
export function describeDevice(): Promise<DeviceMetadata> {
  thisDevice ??= queryDeviceMetadata();
  return thisDevice;
}

/**
 * All entries, each with the weights that this device uses.
 * @throws Error if models.json or the server's list is invalid.
 */
export async function listModels(page: string = document.baseURI): Promise<readonly CatalogEntry[]> {
  const [entries, device] = await Promise.all([readModels(page), describeDevice()]);
  return entries.map((entry) => withWeightsForDevice(entry, device));
}

/**
 * The entries as listed: the dtype is "auto" if the list does not fix it. The first entry is the page's default.
 * @throws Error if models.json or the server's list is invalid.
 */
export async function readModels(page: string = document.baseURI): Promise<readonly CatalogEntry[]> {
  const response = await fetch(new URL("local-models.json", page));
  if (!response.ok)
    throw new Error(`local-models.json could not be fetched (HTTP ${response.status}). Reload the page.`);
  return [...parseCatalog(modelList, page), ...parseLocalModels(await response.json(), page)];
}

/** The entry with the weights that the device uses, unless the list fixes the weights. */
export function withWeightsForDevice(entry: CatalogEntry, device: DeviceMetadata): CatalogEntry {
  const { reference, weights, files } = entry;
  const isFixed = isDtype(reference.dtype.webgpu) && isDtype(reference.dtype.wasm);
  const dtype = isFixed ? reference.dtype : dtypePerDevice(weights, entry, device);
  const taken = device.webgpu && !device.webgpu.isSoftware ? dtype.webgpu : dtype.wasm;
  return {
    ...entry,
    reference: { ...reference, dtype },
    downloadBytes: weights.find((each) => each.dtype === taken)?.bytes ?? 0,
    ...(files && { files: filesForWeights(files, [dtype.webgpu, dtype.wasm]) }),
  };
}

/** Entries of `local-models.json`, which the local server writes. @throws Error that says what is wrong */
export function parseLocalModels(json: unknown, page: string): CatalogEntry[] {
  if (!Array.isArray(json)) throw new Error("local-models.json is not a list. Restart the server.");
  return json.map((model: unknown) => {
    const { id, url, weights, config, contextLength, files } = isRecord(model) ? model : {};
    if (
      typeof id !== "string" ||
      typeof url !== "string" ||
      !Array.isArray(weights) ||
      weights.length === 0 ||
      !weights.every(isWeights)
    ) {
      throw new Error(
        `local-models.json has an entry that cannot be used: ${JSON.stringify(model)}. Restart the server.`,
      );
    }
    const description = isRecord(config) ? config : {};
    return {
      title: id,
      description: "In the folder given to npm start with --models.",
      tier: null,
      reference: {
        id,
        url: new URL(url, page).href,
        revision: null,
        dtype: { webgpu: "auto", wasm: "auto" },
      },
      origin: "folder",
      hub: null,
      licence: "license: see the model’s folder",
      contextLength: typeof contextLength === "number" ? contextLength : 0,
      parameters: null,
      ...modelMetadataOf(description),
      chatTemplate: null,
      weights,
      downloadBytes: weights[0]?.bytes ?? 0,
      measured: true,
      suggestedPrompt: "",
      ...(Array.isArray(files) && { files: files.filter(isFile) }),
    };
  });
}

function isWeights(value: unknown): value is ListedWeights {
  const { dtype, bytes } = isRecord(value) ? value : {};
  return isDtype(dtype) && typeof bytes === "number" && bytes >= 0;
}

function isFile(value: unknown): value is CatalogFile {
  const { path, bytes } = isRecord(value) ? value : {};
  return typeof path === "string" && typeof bytes === "number" && bytes >= 0;
}
