/**
 * Models that the browser keeps beside the page: those of the hub, which the engine keeps when it loads them, and those of the user's
 * folder, if they are asked for. A model is whole or not there.
 */
import { messageOf } from "../base/message-of.ts";
import { formatBytes } from "../base/number-text.ts";
import { modelCacheName } from "../engine/cache.ts";
import { graphPath } from "../engine/dtype.ts";
import type { CatalogEntry } from "./catalog.ts";

/** A model's folder of which files are kept. */
export interface KeptModel {
  /** Address of the folder; ends in `/`. */
  readonly url: string;
  readonly bytes: number;
  readonly files: number;
}

/** A file of a model, relative to its folder. Null bytes: not known before it comes. */
interface ModelFile {
  readonly path: string;
  readonly bytes: number | null;
  /** Models do without it. */
  readonly optional: boolean;
}

const required = ["config.json", "tokenizer.json"];
const optional = ["generation_config.json", "tokenizer_config.json", "chat_template.jinja"];

/** What loading a model may ask for, on either device. Weights beside a graph are looked for under the usual name. */
export function filesOf({ reference, files }: CatalogEntry): readonly ModelFile[] {
  const graphs = [...new Set([reference.dtype.webgpu, reference.dtype.wasm])].map(graphPath);
  const known = new Map((files ?? []).map(({ path, bytes }) => [path, bytes]));
  const file = (isOptional: boolean) => (path: string) => ({
    path,
    bytes: known.get(path) ?? null,
    optional: isOptional,
  });
  const others = [...known.keys()].filter((path) => path.startsWith("onnx/") && !graphs.includes(path));
  return [
    ...required.map(file(false)),
    ...optional.map(file(true)),
    ...graphs.map(file(false)),
    ...(files ? others : graphs.map((path) => `${path}_data`)).map(file(true)),
  ];
}

const folderOf = (url: string): string => url.replace(/(onnx\/)?[^/]*$/, "");

/** @throws when the browser refuses its storage. */
export async function keptModels(storage: CacheStorage = caches): Promise<readonly KeptModel[]> {
  const cache = await storage.open(modelCacheName);
  const models = new Map<string, { bytes: number; files: number }>();
  for (const request of await cache.keys()) {
    const length = Number((await cache.match(request))?.headers.get("content-length") ?? 0);
    const model = models.get(folderOf(request.url)) ?? { bytes: 0, files: 0 };
    models.set(folderOf(request.url), { bytes: model.bytes + length, files: model.files + 1 });
  }
  return [...models].map(([url, model]) => ({ url, ...model }));
}

export async function removeKeptModel(url: string, storage: CacheStorage = caches): Promise<void> {
  const cache = await storage.open(modelCacheName);
  const own = (await cache.keys()).filter((request) => folderOf(request.url) === url);
  await Promise.all(own.map((request) => cache.delete(request)));
}

export interface KeepOptions {
  readonly signal: AbortSignal;
  readonly storage?: CacheStorage;
  readonly fetch?: typeof fetch;
  /** Bytes that are there, and of how many, as far as is known. */
  onProgress(done: number, all: number): void;
}

/**
 * Fetches the model's files and keeps them; those that are kept already stay. What one attempt brought is taken out again when it fails.
 * @throws Error that says which file and why; the signal's reason when it is aborted.
 */
export async function keepModel(entry: CatalogEntry, options: KeepOptions): Promise<void> {
  const { signal, storage = caches, fetch: ask = fetch, onProgress } = options;
  const cache = await storage.open(modelCacheName);
  const files = filesOf(entry);
  const brought: string[] = [];
  let done = 0;
  let all = files.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0) || entry.downloadBytes;
  const count = (bytes: number) => {
    done += bytes;
    all = Math.max(all, done);
    onProgress(done, all);
  };
  try {
    for (const { path, optional: isOptional } of files) {
      signal.throwIfAborted();
      const url = new URL(path.split("/").map(encodeURIComponent).join("/"), entry.reference.url).href;
      if (await cache.match(url)) continue;
      // Before it is there: a file that comes in part may leave an entry.
      brought.push(url);
      const response = await ask(url, { signal, cache: "no-store" });
      if (isOptional && response.status === 404) continue;
      if (!response.ok) throw new Error(`${path}: the server answered ${response.status}.`);
      await putWhole(cache, url, response, path, count);
    }
  } catch (cause) {
    await Promise.all(brought.map((url) => cache.delete(url)));
    signal.throwIfAborted();
    throw cause;
  }
}

/** Where a server packs a file on its way, it does not say how long the file is. Those are small, and are read first. */
const readFirst = 8_000_000;

async function putWhole(
  cache: Cache,
  url: string,
  response: Response,
  path: string,
  count: (bytes: number) => void,
): Promise<void> {
  const said = Number(response.headers.get("content-length") ?? Number.NaN);
  const keep = async (body: BodyInit, length: number) => {
    try {
      await cache.put(url, new Response(body, { headers: { "content-length": String(length) } }));
    } catch (cause) {
      throw new Error(
        `${path} (${formatBytes(length)}) could not be kept: ${messageOf(cause)} Free some room and try again.`,
        { cause },
      );
    }
  };
  if (!(said > readFirst) || !response.body) {
    const bytes = await response.arrayBuffer();
    await keep(bytes, bytes.byteLength);
    return count(bytes.byteLength);
  }
  let came = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      came += piece.length;
      count(piece.length);
      controller.enqueue(piece);
    },
  });
  await keep(response.body.pipeThrough(counted), said);
  if (came === said) return;
  await cache.delete(url);
  throw new Error(`${path} came with ${came} of its ${said} bytes. Try again.`);
}
