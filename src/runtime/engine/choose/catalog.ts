/** The models that the page offers: `models.json`, checked. No other file reads its format (`models.schema.json`). */
import { isRecord } from "../../../core/base/record.ts";
import type { ListedWeights } from "../base/dtype.ts";
import { hubFolderAddress } from "../base/hub-folder.ts";
import type { ModelReference } from "../base/model-reference.ts";
import { createFieldReader } from "./catalog-fields.ts";

/** Features that a device must have for the model, with any of its weights. */
const needs = ["webgpu", "shader-f16"] as const;

export type ModelNeed = (typeof needs)[number];

/** The size class of a model: `story` comes with the page, `tiny` runs anywhere, `large` needs 8 GB of memory. */
const tiers = ["story", "tiny", "small", "medium", "large"] as const;

export type ModelTier = (typeof tiers)[number];

/** Sizes that decide how much memory the model needs on a device. */
export interface ModelArchitecture {
  readonly vocabularySize: number;
  readonly hiddenSize: number;
  /** Number of layers with a KV cache. */
  readonly attentionLayers: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  /** Number of layers with a state of fixed size, in hybrid models. */
  readonly stateLayers?: number;
}

const templateFormats = ["chatml", "gemma", "granite", "llama3", "phi4"] as const;
const toolCallFormats = ["hermes", "llama3", "lfm2", "granite"] as const;

export interface ChatTemplateMetadata {
  readonly format: (typeof templateFormats)[number];
  /** The format of its tool calls; null for a template without tools. */
  readonly toolCalls: (typeof toolCallFormats)[number] | null;
  /** Whether the template can switch thinking on and off. */
  readonly thinking: boolean;
}

export interface CatalogEntry {
  readonly title: string;
  /** One line about the model for the page. */
  readonly description: string;
  /** Null if the size is unknown. */
  readonly tier: ModelTier | null;
  readonly reference: ModelReference;
  /** Where its files are: with the page, on the hub, or in a user's folder that the local server offers. */
  readonly origin: "page" | "hub" | "folder";
  /** The hub id, if the folder is a model of the hub. */
  readonly hub: string | null;
  readonly licence: string;
  /** The longest context, in tokens, that the model was made for; 0 if unknown. */
  readonly contextLength: number;
  /** Null if unknown. */
  readonly parameters: number | null;
  readonly architecture: ModelArchitecture | null;
  /** Null for a model without a chat template, or if the catalog does not describe it. */
  readonly chatTemplate: ChatTemplateMetadata | null;
  /** The available weights. */
  readonly weights: readonly ListedWeights[];
  /** Whether its activations are too large for float16. */
  readonly float16Overflows: boolean;
  /** Approximate bytes that the first visit downloads, for weights with the reference's dtype; 0 if unknown. */
  readonly downloadBytes: number;
  readonly needs: readonly ModelNeed[];
  /** Whether the sizes were read from the model's own files. */
  readonly measured: boolean;
  readonly suggestedPrompt: string;
  /** All files that loading may request, if the server lists them. */
  readonly files?: readonly CatalogFile[];
}

export interface CatalogFile {
  /** Path in the model's folder. */
  readonly path: string;
  readonly bytes: number;
}

/** `models.json` has an invalid value. The message names the model, the field and the value. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
}

/** Bytes of the KV cache for one token. @param floatBytes bytes of one number: 2 for float16 activations, 4 for float32 */
export function cacheBytesPerToken(architecture: ModelArchitecture, floatBytes: 2 | 4): number {
  const { attentionLayers, keyValueHeads, headSize } = architecture;
  return 2 * attentionLayers * keyValueHeads * headSize * floatBytes;
}

const fields = [
  "id",
  "title",
  "description",
  "tier",
  "url",
  "hub",
  "revision",
  "dtype",
  "weights",
  "parameters",
  "contextLength",
  "licence",
  "chatTemplate",
  "architecture",
  "needs",
  "float16Overflows",
  "measured",
  "source",
  "suggestedPrompt",
];

/**
 * Entries of `models.json` in its order; the first is the page's default. If the file does not say which weights a device
 * uses, the reference's dtype is "auto".
 * @param json the parsed file.
 * @param page the page's address, the base of relative addresses.
 * @throws CatalogError for the first mistake.
 */
export function parseCatalog(json: unknown, page: string): CatalogEntry[] {
  const models = isRecord(json) ? json.models : undefined;
  if (!Array.isArray(models) || models.length === 0) {
    throw new CatalogError(
      'models.json must contain an object with a list "models" that has at least one model. Restore the file from the repository.',
    );
  }
  const extra = Object.keys(json as object).find((key) => key !== "models" && key !== "$schema");
  if (extra !== undefined) {
    throw new CatalogError(
      `models.json has the unknown field "${extra}"; its fields are "models" and "$schema".`,
    );
  }
  const entries = models.map((model: unknown, index) => parseEntry(model, index, page));
  const ids = entries.map(({ reference }) => reference.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) {
    throw new CatalogError(`models.json lists the id "${twice}" twice. Give each model a different id.`);
  }
  return entries;
}

type Fields = ReturnType<typeof createFieldReader>;

function parseEntry(model: unknown, index: number, page: string): CatalogEntry {
  const name = isRecord(model) && typeof model.id === "string" ? `"${model.id}"` : `number ${index + 1}`;
  const read = createFieldReader(model, (field, value, expected) => {
    const given = value === undefined ? "missing" : JSON.stringify(value);
    throw new CatalogError(`models.json, model ${name}: "${field}" is ${given}; it must be ${expected}.`);
  });
  read.only(fields);
  const reference = parseReference(read, page);
  const weights = parseWeights(read);
  read.text("source");
  const bytes = weights.find(({ dtype }) => dtype === reference.dtype.webgpu) ?? weights[0];
  return {
    title: read.text("title"),
    description: read.text("description"),
    tier: read.choice("tier", tiers),
    reference,
    origin: read.has("hub") ? "hub" : "page",
    hub: read.has("hub") ? read.text("hub") : null,
    licence: read.text("licence"),
    contextLength: read.count("contextLength"),
    parameters: read.count("parameters"),
    architecture: parseArchitecture(read.object("architecture")),
    chatTemplate: read.isNull("chatTemplate") ? null : parseTemplate(read.object("chatTemplate")),
    weights,
    float16Overflows: read.has("float16Overflows") && read.choice("float16Overflows", [true]),
    downloadBytes: bytes?.bytes ?? 0,
    needs: read.items("needs").map((item) => item.choice(needs)),
    measured: read.choice("measured", [true, false]),
    suggestedPrompt: read.text("suggestedPrompt"),
  };
}

function parseArchitecture(read: Fields): ModelArchitecture {
  read.only(["vocabularySize", "hiddenSize", "attentionLayers", "keyValueHeads", "headSize", "stateLayers"]);
  return {
    vocabularySize: read.count("vocabularySize"),
    hiddenSize: read.count("hiddenSize"),
    attentionLayers: read.count("attentionLayers"),
    keyValueHeads: read.count("keyValueHeads"),
    headSize: read.count("headSize"),
    ...(read.has("stateLayers") && { stateLayers: read.count("stateLayers") }),
  };
}

function parseTemplate(read: Fields): ChatTemplateMetadata {
  read.only(["format", "toolCalls", "thinking"]);
  return {
    format: read.choice("format", templateFormats),
    toolCalls: read.choice("toolCalls", [...toolCallFormats, null]),
    thinking: read.choice("thinking", [true, false]),
  };
}

function parseWeights(read: Fields): ListedWeights[] {
  const weights = read.items("weights").map((item) => {
    const each = item.object();
    each.only(["dtype", "bytes"]);
    return { dtype: each.dtype("dtype"), bytes: each.isNull("bytes") ? null : each.count("bytes") };
  });
  if (weights.length === 0) read.fail("weights", [], "a list with at least one entry");
  const dtypes = weights.map(({ dtype }) => dtype);
  const twice = dtypes.find((dtype, index) => dtypes.indexOf(dtype) !== index);
  if (twice !== undefined) read.fail("weights", dtypes, "a list that contains each dtype only once");
  return weights;
}

/** The folder is given by `url` (relative to the page, or absolute) or by `hub` and `revision`. */
function parseReference(read: Fields, page: string): ModelReference {
  const id = read.text("id");
  const dtype = read.has("dtype")
    ? parseDtype(read.object("dtype"))
    : ({ webgpu: "auto", wasm: "auto" } as const);
  if (read.has("url") === read.has("hub")) {
    const expected = read.has("hub") ? 'left out if "hub" is given' : 'given if "hub" is not given';
    return read.fail("url", read.value("url"), expected);
  }
  if (!read.has("hub")) {
    if (read.has("revision")) read.fail("revision", read.value("revision"), 'left out if "url" is given');
    return { id, url: folderAddress(read, page), revision: null, dtype };
  }
  const hub = read.text("hub");
  const revision = read.text("revision");
  try {
    return { id, url: hubFolderAddress(hub, revision), revision, dtype };
  } catch (error) {
    const why = (error as Error).message.replace(/\.$/, "");
    return read.fail(
      "hub",
      `${hub}@${revision}`,
      `the id and the revision of a model on Hugging Face: ${why}`,
    );
  }
}

function folderAddress(read: Fields, page: string): string {
  const url = read.text("url");
  const address = URL.canParse(url, page) ? new URL(url, page) : null;
  const isFolder = address !== null && /^https?:$/.test(address.protocol) && address.pathname.endsWith("/");
  return isFolder ? address.href : read.fail("url", url, "the address of a folder, ending in /");
}

function parseDtype(read: Fields): ModelReference["dtype"] {
  read.only(["webgpu", "wasm"]);
  return { webgpu: read.dtype("webgpu"), wasm: read.dtype("wasm") };
}
