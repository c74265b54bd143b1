/** The models that the page offers: `models.json`, checked. The only reader of that file's shape. */
import { isRecord } from "../base/record.ts";
import { graphPath } from "./files.ts";
import type { ModelReference } from "./model-reference.ts";
import { hubFolder } from "./model-source.ts";

/** What a device must offer for a model. */
const needs = ["webgpu", "shader-f16"] as const;

export type ModelNeed = (typeof needs)[number];

export interface CatalogEntry {
  readonly title: string;
  /** What the page says of the model, in one line. */
  readonly description: string;
  readonly reference: ModelReference;
  /** Where its files lie: with the page, on the hub, or in a folder of the user's that the local server offers. */
  readonly origin: "page" | "hub" | "folder";
  /** Where the folder is a model of the hub, its id. */
  readonly hub: string | null;
  readonly licence: string;
  /** The most tokens that the model was made for. */
  readonly contextLength: number;
  /** What a first visit fetches with the WebGPU dtype, approximately. */
  readonly downloadBytes: number;
  readonly needs: readonly ModelNeed[];
  readonly suggestedPrompt: string;
  /** All that loading it may ask for, where the server says it. */
  readonly files?: readonly CatalogFile[];
}

export interface CatalogFile {
  /** In the model's folder. */
  readonly path: string;
  readonly bytes: number;
}

/** `models.json` says something that cannot be used. The message names the model, the field and its value. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
}

const fields = [
  "id",
  "title",
  "description",
  "url",
  "hub",
  "revision",
  "dtype",
  "licence",
  "contextLength",
  "downloadBytes",
  "needs",
  "suggestedPrompt",
];

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Entries of `models.json` in its order; the first is the page's default.
 * @param json the parsed file.
 * @param page the page's address, which relative addresses start from.
 * @throws CatalogError for the first thing that is wrong.
 */
export function parseCatalog(json: unknown, page: string): CatalogEntry[] {
  const models = isRecord(json) ? json.models : undefined;
  if (!Array.isArray(models) || models.length === 0) {
    throw new CatalogError(
      'models.json must hold an object with a list "models" of at least one model. Restore it from the repository.',
    );
  }
  const entries = models.map((model: unknown, index) => parseEntry(model, index, page));
  const ids = entries.map(({ reference }) => reference.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) {
    throw new CatalogError(`models.json lists the id "${twice}" twice. Give each model an id of its own.`);
  }
  return entries;
}

function parseEntry(model: unknown, index: number, page: string): CatalogEntry {
  const name = isRecord(model) && typeof model.id === "string" ? `"${model.id}"` : `number ${index + 1}`;
  const fail: Fail = (field, value, expected) => {
    const given = value === undefined ? "missing" : JSON.stringify(value);
    throw new CatalogError(`models.json, model ${name}: "${field}" is ${given}; it must be ${expected}.`);
  };
  if (!isRecord(model)) return fail("model", model, "an object");
  const extra = Object.keys(model).find((key) => !fields.includes(key));
  if (extra !== undefined) fail(extra, model[extra], `one of ${fields.join(", ")}`);
  return {
    title: text(model, "title", fail),
    description: text(model, "description", fail),
    reference: parseReference(model, page, fail),
    origin: model.hub === undefined ? "page" : "hub",
    hub: model.hub === undefined ? null : text(model, "hub", fail),
    licence: text(model, "licence", fail),
    contextLength: count(model, "contextLength", fail),
    downloadBytes: count(model, "downloadBytes", fail),
    needs: parseNeeds(model.needs, fail),
    suggestedPrompt: text(model, "suggestedPrompt", fail),
  };
}

type Fail = (field: string, value: unknown, expected: string) => never;

function text(model: JsonObject, field: string, fail: Fail): string {
  const value = model[field];
  return typeof value === "string" && value.trim() !== "" ? value : fail(field, value, "a text");
}

function count(model: JsonObject, field: string, fail: Fail): number {
  const value = model[field];
  const isCount = typeof value === "number" && Number.isSafeInteger(value) && value > 0;
  return isCount ? value : fail(field, value, "a whole number above 0");
}

/** The folder is given by `url` (relative to the page, or absolute) or by `hub` and `revision`. */
function parseReference(model: JsonObject, page: string, fail: Fail): ModelReference {
  const id = text(model, "id", fail);
  const dtype = parseDtype(model.dtype, fail);
  if ((model.url === undefined) === (model.hub === undefined)) {
    return fail("url", model.url, 'given, or "hub" in its place, and not both');
  }
  if (model.hub === undefined) {
    if (model.revision !== undefined) fail("revision", model.revision, 'left out beside "url"');
    return { id, url: folderAddress(text(model, "url", fail), page, fail), revision: null, dtype };
  }
  const hub = text(model, "hub", fail);
  const revision = text(model, "revision", fail);
  try {
    return { id, url: hubFolder(hub, revision), revision, dtype };
  } catch (error) {
    return fail("hub", `${hub}@${revision}`, `a model of the hub (${(error as Error).message})`);
  }
}

function folderAddress(url: string, page: string, fail: Fail): string {
  const address = URL.canParse(url, page) ? new URL(url, page) : null;
  const isFolder = address !== null && /^https?:$/.test(address.protocol) && address.pathname.endsWith("/");
  return isFolder ? address.href : fail("url", url, "the address of a folder, ending in /");
}

function parseDtype(value: unknown, fail: Fail): ModelReference["dtype"] {
  if (!isRecord(value)) return fail("dtype", value, 'an object with "webgpu" and "wasm"');
  const known = (device: "webgpu" | "wasm") => {
    const dtype = text(value, device, (_, given, expected) => fail(`dtype.${device}`, given, expected));
    try {
      graphPath(dtype);
      return dtype;
    } catch (error) {
      return fail(`dtype.${device}`, dtype, `a dtype (${(error as Error).message})`);
    }
  };
  return { webgpu: known("webgpu"), wasm: known("wasm") };
}

function parseNeeds(value: unknown, fail: Fail): ModelNeed[] {
  const expected = `a list of ${needs.join(", ")}`;
  if (!Array.isArray(value)) return fail("needs", value, expected);
  return value.map((each) => needs.find((need) => need === each) ?? fail("needs", each, expected));
}
