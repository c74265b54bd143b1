/**
 * For tests: a server with the addresses of the Hugging Face hub, over model folders on this machine or generated files, and
 * a second one for the host that the hub redirects large files to. Both can also do what servers do wrong. Layout:
 * https://huggingface.co/docs/hub/api
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { byteRange } from "../byte-range.ts";
import { cutBody, type Fault, takeFault } from "./hub-faults.ts";
import { type HubFile, type HubRepository, type HubSnapshot, hashOf, snapshotOf } from "./hub-repository.ts";

export type { Fault } from "./hub-faults.ts";
export type { HubContent, HubRepository } from "./hub-repository.ts";

export interface HubServerOptions {
  /** By id, for example `{ "HuggingFaceTB/SmolLM2-135M-Instruct": "/data/smollm2" }`; a text is the folder of a repository without other fields. Read at each request. */
  readonly repositories: Readonly<Record<string, string | HubRepository>>;
  /** By path in the model's repository. Read at each request, so tests may change it. */
  readonly faults?: Map<string, Fault>;
  /** Sees each request for the content of a file, of small and large ones, after the redirect: the path and the Range header. */
  readonly onRequest?: (file: string, range: string | null) => void;
  /** Sees the Authorization header of each request to either host; null if the request has none. */
  readonly onAuthorization?: (host: "hub" | "content", header: string | null) => void;
  /** Sees the path of each request that a browser sends to ask for leave. A page's reads of models need none. */
  readonly onPreflight?: (path: string) => void;
  /** Entries in one answer of the tree API; the next are behind its `Link` header. */
  readonly treePage?: number;
}

export interface HubServer {
  /** The hub, for example `http://127.0.0.1:4000`. */
  readonly host: string;
  /** Where large files lie: another origin. */
  readonly contentHost: string;
  /** Address of a model's folder, ending in `/`. */
  url(id: string, revision?: string): string;
  close(): Promise<void>;
}

/** Starts both servers on free ports of this machine. */
export async function startHubServer(options: HubServerOptions): Promise<HubServer> {
  let contentHost = "";
  const start = async (isHub: boolean) => {
    const server = createServer((request, response) => {
      const hub: Hub = { options, contentHost, request, response };
      (isHub ? answerAsHub(hub) : answerAsContentHost(hub)).catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else refuse(hub, 500, "InternalError", String(error));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };
  const content = await start(false);
  const hub = await start(true);
  contentHost = content.origin;
  return {
    host: hub.origin,
    contentHost,
    url: (id, revision = "main") => `${hub.origin}/${id}/resolve/${encodeURIComponent(revision)}/`,
    async close() {
      for (const { server } of [hub, content]) {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }
    },
  };
}

/** One request. */
interface Hub {
  readonly options: HubServerOptions;
  readonly contentHost: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "X-Repo-Commit, X-Error-Code, X-Error-Message, ETag, Link, Accept-Ranges, Content-Range, X-Linked-Size, X-Linked-ETag",
};

function refuse({ response }: Hub, status: number, code: string, error: string): void {
  const text = JSON.stringify({ error });
  const headers = { "content-type": "application/json; charset=utf-8", "x-error-code": code };
  response.writeHead(status, { ...corsHeaders, ...headers, "x-error-message": error }).end(text);
}

function sendJson({ response }: Hub, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  const type = { "content-type": "application/json; charset=utf-8" };
  response.writeHead(200, { ...corsHeaders, ...type, ...headers }).end(JSON.stringify(body));
}

/** A path of the hub: the model, the revision, and what of it is asked for. */
const addresses = {
  info: /^\/api\/models\/([^/]+\/[^/]+)(?:\/revision\/([^/]+))?$/,
  tree: /^\/api\/models\/([^/]+\/[^/]+)\/tree\/([^/]+)(?:\/(.*))?$/,
  small: /^\/api\/resolve-cache\/models\/([^/]+\/[^/]+)\/([^/]+)\/(.+)$/,
  file: /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/,
} as const;

async function answerAsHub(hub: Hub): Promise<void> {
  const { request, options } = hub;
  options.onAuthorization?.("hub", request.headers.authorization ?? null);
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (request.method === "OPTIONS") return answerPreflight(hub, pathname);
  const found = Object.entries(addresses)
    .map(([kind, pattern]) => ({ kind, parts: pattern.exec(pathname)?.slice(1) }))
    .find(({ parts }) => parts !== undefined);
  const [id = "", revision = "main", path = ""] = (found?.parts ?? []).map(
    (part) => part && decodeURIComponent(part),
  );
  const repository = repositoryOf(options, id);
  // The hub does not say whether a model that may not be read exists.
  const isAllowed = request.headers.authorization === `Bearer ${repository?.token}`;
  if (repository === null || (repository.token !== undefined && !repository.gated && !isAllowed))
    return refuse(hub, 401, "RepoNotFound", "Repository not found");
  const snapshot = await snapshotOf(repository, revision);
  if (snapshot === null) return refuse(hub, 404, "RevisionNotFound", `Invalid rev id: ${revision}`);
  if (found?.kind === "info") return sendInfo(hub, id, repository, snapshot, searchParams.has("blobs"));
  if (found?.kind === "tree") return sendTree(hub, snapshot, path, searchParams);
  if (repository.gated && !isAllowed) {
    return refuse(hub, 401, "GatedRepo", `Access to model ${id} is restricted. You must have access to it.`);
  }
  const file = snapshot.files.find((each) => each.path === path);
  if (!file) return refuse(hub, 404, "EntryNotFound", "Entry not found");
  if (found?.kind === "small") {
    return sendContent(hub, file, { "x-repo-commit": snapshot.commit, etag: `"${await hashOf(file)}"` });
  }
  await redirect(hub, id, snapshot, file);
}

function repositoryOf({ repositories }: HubServerOptions, id: string): HubRepository | null {
  const given = Object.hasOwn(repositories, id) ? repositories[id] : undefined;
  if (given === undefined) return null;
  return typeof given === "string" ? { main: given } : given;
}

function answerPreflight({ options, response }: Hub, path: string): void {
  options.onPreflight?.(path);
  response.writeHead(204, { ...corsHeaders, "access-control-allow-headers": "range, authorization" }).end();
}

/** To the other host for a large file, to a place of the hub's own for another. */
async function redirect(hub: Hub, id: string, { commit }: HubSnapshot, file: HubFile): Promise<void> {
  const path = encodeURI(file.path);
  const location = file.isLarge
    ? `${hub.contentHost}/${id}/${commit}/${path}`
    : `/api/resolve-cache/models/${id}/${commit}/${path}`;
  hub.response
    .writeHead(file.isLarge ? 302 : 307, {
      ...corsHeaders,
      location,
      "x-repo-commit": commit,
      "x-linked-size": file.size,
      "x-linked-etag": `"${await hashOf(file)}"`,
      "accept-ranges": "bytes",
    })
    .end();
}

async function sendInfo(
  hub: Hub,
  id: string,
  { licence, gated = false }: HubRepository,
  { commit, files }: HubSnapshot,
  withBlobs: boolean,
): Promise<void> {
  const siblings = files.map(async (file) => ({
    rfilename: file.path,
    ...(withBlobs && (await blobOf(file))),
  }));
  sendJson(hub, {
    id,
    modelId: id,
    sha: commit,
    private: false,
    gated: gated && "auto",
    disabled: false,
    tags: ["onnx", ...(licence === undefined ? [] : [`license:${licence}`])],
    ...(licence !== undefined && { cardData: { license: licence } }),
    siblings: await Promise.all(siblings),
  });
}

async function blobOf(file: HubFile) {
  const { size, isLarge } = file;
  const hash = await hashOf(file);
  // As in the tree, the object in Git is a pointer to a large file.
  return isLarge ? { size, blobId: hash.slice(0, 40), lfs: { sha256: hash, size } } : { size, blobId: hash };
}

async function sendTree(
  hub: Hub,
  { files }: HubSnapshot,
  folder: string,
  query: URLSearchParams,
): Promise<void> {
  const prefix = folder === "" ? "" : `${folder.replace(/\/+$/, "")}/`;
  const below = files.filter(({ path }) => path.startsWith(prefix));
  if (below.length === 0 && folder !== "") {
    return refuse(hub, 404, "EntryNotFound", `${folder} does not exist.`);
  }
  const isRecursive = query.get("recursive") === "true";
  const inFolders = below.flatMap(({ path }) => {
    const names = path.slice(prefix.length).split("/").slice(0, -1);
    return names.map((_, i) => prefix + names.slice(0, i + 1).join("/"));
  });
  const folders = [...new Set(inFolders)].filter(
    (path) => isRecursive || !path.slice(prefix.length).includes("/"),
  );
  const listed = below.filter(({ path }) => isRecursive || !path.slice(prefix.length).includes("/"));
  const entries = [
    ...folders.map((path) => ({ type: "directory", oid: "0".repeat(40), size: 0, path })),
    ...(await Promise.all(listed.map(treeFile))),
  ];
  const first = Number(query.get("cursor") ?? 0);
  const end = first + (hub.options.treePage ?? 1000);
  const next = new URL(hub.request.url ?? "/", `http://${hub.request.headers.host}`);
  next.searchParams.set("cursor", String(end));
  sendJson(
    hub,
    entries.slice(first, end),
    end < entries.length ? { link: `<${next.href}>; rel="next"` } : {},
  );
}

async function treeFile(file: HubFile) {
  const { path, size, isLarge } = file;
  const hash = await hashOf(file);
  // The object in Git is a pointer to a large file, whose own hash is not that of the file.
  if (isLarge) {
    return { type: "file", oid: hash.slice(0, 40), size, lfs: { oid: hash, size, pointerSize: 134 }, path };
  }
  return { type: "file", oid: hash, size, path };
}

/** `/{owner}/{name}/{commit}/{path}`, where the hub's redirects lead. */
async function answerAsContentHost(hub: Hub): Promise<void> {
  hub.options.onAuthorization?.("content", hub.request.headers.authorization ?? null);
  const { pathname } = new URL(hub.request.url ?? "/", "http://localhost");
  if (hub.request.method === "OPTIONS") return answerPreflight(hub, pathname);
  const [, id = "", commit = "", path = ""] =
    /^\/([^/]+\/[^/]+)\/([^/]+)\/(.+)$/.exec(decodeURIComponent(pathname)) ?? [];
  const repository = repositoryOf(hub.options, id);
  const snapshot = repository && (await snapshotOf(repository, commit));
  const file = snapshot?.files.find((each) => each.path === path);
  if (!file) return refuse(hub, 404, "EntryNotFound", "Entry not found");
  // Its validator is its own, not the SHA-256 that the hub names.
  await sendContent(hub, file, { etag: `"${(await hashOf(file)).slice(0, 32)}-1"` });
}

async function sendContent(
  { options, request, response, ...rest }: Hub,
  file: HubFile,
  known: Readonly<Record<string, string>>,
): Promise<void> {
  options.onRequest?.(file.path, request.headers.range ?? null);
  const fault = takeFault(file.path, options.faults);
  if (fault?.kind === "status") {
    return refuse({ options, request, response, ...rest }, fault.status ?? 503, "Asked", "asked to fail");
  }
  if (fault?.kind === "html") {
    response
      .writeHead(200, { ...corsHeaders, "content-type": "text/html" })
      .end("<!doctype html><p>Please log in.");
    return;
  }
  const range = fault?.kind === "no-range" ? null : byteRange(request.headers.range, file.size);
  if (range === "outside") {
    response.writeHead(416, { ...corsHeaders, "content-range": `bytes */${file.size}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const headers: Record<string, string | number> = {
    ...corsHeaders,
    ...known,
    "content-type": file.isLarge ? "application/octet-stream" : "text/plain; charset=utf-8",
    "accept-ranges": "bytes",
  };
  if (fault?.kind === "new-etag") headers.etag = '"another"';
  if (fault?.kind !== "no-length" && fault?.kind !== "short") headers["content-length"] = end - start + 1;
  if (fault?.kind === "short") headers["x-linked-size"] = file.size;
  // A connection that will break is not to be used again by the next request.
  if (fault?.kind === "drop") headers.connection = "close";
  if (range) headers["content-range"] = `bytes ${start}-${end}/${file.size}`;
  response.writeHead(range ? 206 : 200, headers);
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  await pipeline(cutBody(file.read(start, end), fault, response), response).catch(() => response.destroy());
}
