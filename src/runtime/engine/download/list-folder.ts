/**
 * Lists the graphs of a model's folder at an address, with their sizes, without reading them. On the hub, the list comes
 * from its API (https://huggingface.co/docs/hub/api); elsewhere, each name that a graph may have is requested.
 */

import { readBoundedJson } from "../../../core/base/bounded-body.ts";
import { hubHost } from "../../../core/base/hub-token.ts";
import { hostInMessages } from "../../../core/base/invalid-address.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import { isRecord } from "../../../core/base/record.ts";
import { dtypeNames, type GraphName, graphPathOf } from "../base/dtype.ts";
import { ModelFileError } from "../base/model-file-error.ts";
import { type HubModelRevision, parseHubFolder } from "./hub-model-revision.ts";
import type { FolderFile } from "./list-weights.ts";

export interface ListOptions {
  readonly fetch?: typeof fetch | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The most pages of the hub's list that are read; each has up to 1,000 entries. */
const mostPages = 10;
/** A longer response cannot be a list of files. */
const mostListBytes = 4_000_000;

/**
 * The files in the folder's `onnx/`; empty if the folder does not exist. A server without the hub's API shows only the graphs that
 * have usual names, and their data.
 * @param folder its address; ends in `/`
 * @throws ModelFileError if the server cannot be reached or refuses; with a status if it answered. The signal's
 * reason when cancelled.
 */
export async function listOnnxFolder(folder: string, options: ListOptions = {}): Promise<FolderFile[]> {
  const place = parseHubFolder(folder);
  const listed = place && (await listOnHub(place, options));
  return listed ?? probe(folder, options);
}

/** Null if the server has addresses like the hub's, but not its API. */
async function listOnHub(
  { root, id, revision }: HubModelRevision,
  options: ListOptions,
): Promise<FolderFile[] | null> {
  const files: FolderFile[] = [];
  let next: string | null = `${root}/api/models/${id}/tree/${revision}/onnx`;
  for (let page = 1; next !== null && page <= mostPages; page++) {
    const response: Response = await sendRequest(next, { ...options, what: `the file list of ${id}` });
    if (response.status === 404 && response.headers.get("x-error-code") === "EntryNotFound") return files;
    if (!response.ok) {
      await response.body?.cancel();
      if (root !== hubHost && response.headers.get("x-error-code") === null) return null;
      throw refusalError(response, id, revision);
    }
    const entries = await readList(response);
    if (entries === null) {
      if (root !== hubHost) return null;
      throw new ModelFileError(
        `Hugging Face's list of the files of ${id} cannot be read. Try again later.`,
        "onnx/",
      );
    }
    for (const entry of entries) {
      const { type, path, size } = isRecord(entry) ? entry : {};
      if (type !== "file" || typeof path !== "string") continue;
      files.push({ path, bytes: typeof size === "number" && size >= 0 ? size : null });
    }
    next = nextPage(response, next);
  }
  return files;
}

async function readList(response: Response): Promise<unknown[] | null> {
  const list = await readBoundedJson(response, mostListBytes);
  return Array.isArray(list) ? list : null;
}

/** The next page from the header `Link`, on the same server only. */
function nextPage(response: Response, current: string): string | null {
  const [, target = ""] = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get("link") ?? "") ?? [];
  if (target === "" || !URL.canParse(target, current)) return null;
  const url = new URL(target, current);
  return url.origin === new URL(current).origin ? url.href : null;
}

function refusalError(response: Response, id: string, revision: string): ModelFileError {
  const { status } = response;
  const code = response.headers.get("x-error-code");
  const messagesByStatus: Readonly<Record<number, string>> = {
    401: `There is no model ${id} on Hugging Face, or the model is private. Check the id; a private model needs a Hugging Face access token.`,
    403: `${id} is private or gated. Accept its terms on Hugging Face, and enter an access token of an account that may read the model.`,
    404: `There is no model ${id} on Hugging Face. Check the id.`,
    429: "There were too many requests to Hugging Face. Wait a minute and try again.",
  };
  const messagesByCode: Readonly<Record<string, string | undefined>> = {
    RevisionNotFound: `${id} has no revision ${decodeURIComponent(revision)}. Give a branch, a tag or a commit of this model.`,
    GatedRepo: messagesByStatus[403],
  };
  const message =
    messagesByCode[code ?? ""] ??
    messagesByStatus[status] ??
    `Hugging Face failed to list the files of ${id}. Try again later.`;
  return new ModelFileError(`${message} (HTTP ${status})`, "onnx/", status);
}

/**
 * Requests each graph by its name, and the data file beside each graph that exists. Tries whole graphs first; if there are
 * none, graphs in two parts.
 */
async function probe(folder: string, options: ListOptions): Promise<FolderFile[]> {
  const whole = await probeGraphs(folder, ["model"], options);
  return whole.length > 0 ? whole : probeGraphs(folder, ["embed_tokens", "decoder_model_merged"], options);
}

async function probeGraphs(
  folder: string,
  names: readonly GraphName[],
  options: ListOptions,
): Promise<FolderFile[]> {
  const probeFiles = async (paths: readonly string[]): Promise<FolderFile[]> => {
    const files = await Promise.all(paths.map((path) => probeFile(folder, path, options)));
    return files.filter((file) => file !== null);
  };
  const graphs = await probeFiles(
    names.flatMap((name) => dtypeNames.map((dtype) => graphPathOf(name, dtype))),
  );
  return [...graphs, ...(await probeFiles(graphs.map(({ path }) => `${path}_data`)))];
}

async function probeFile(folder: string, path: string, options: ListOptions): Promise<FolderFile | null> {
  const url = new URL(path, folder).href;
  const requestOptions = { ...options, what: path };
  let response = await sendRequest(url, { ...requestOptions, method: "HEAD" });
  // Some servers do not support HEAD. Only the headers of the GET response are read.
  if (response.status === 405 || response.status === 501) response = await sendRequest(url, requestOptions);
  await response.body?.cancel();
  // A server that answers every address with its start page has no such file.
  if (!response.ok || /\btext\/html\b/.test(response.headers.get("content-type") ?? "")) return null;
  const isEncoded = response.headers.get("content-encoding") !== null;
  const sizeText =
    response.headers.get("x-linked-size") ?? (isEncoded ? null : response.headers.get("content-length"));
  return { path, bytes: sizeText !== null && /^\d{1,15}$/.test(sizeText) ? Number(sizeText) : null };
}

async function sendRequest(
  url: string,
  { fetch: get = fetch, signal, method = "GET", what }: ListOptions & { method?: string; what: string },
): Promise<Response> {
  try {
    return await get(url, { method, signal: signal ?? null });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ModelFileError(
      `Fetching ${what} from ${hostInMessages(url)} failed (${messageOf(cause)}): the host cannot be reached, or does not let other pages read its files (CORS). Check the address and the connection.`,
      "onnx/",
      null,
      { cause },
    );
  }
}
