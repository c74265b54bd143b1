/**
 * The local server: the built page and folders of models, under sub-paths, with support for ranges. The server lists no folders, serves
 * no dotfiles and no file outside its folders, and answers only to its own host name. From a model's folder the server sends
 * only the files of the model, never as a document.
 */
import { createReadStream } from "node:fs";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream/promises";
import { byteRange, clientHasVersion, maySendRange } from "./byte-range.ts";
import type { EngineRelay } from "./engine-relay.ts";
import { type FoundInside, resolvePathInside } from "./file-inside.ts";
import { isModelFile, modelFileKindsText } from "./model-files.ts";
import { decodedPathSegments, fileRequestRefusal, ownHostRefusal } from "./request-checks.ts";
import { dataHeaders, modelFileHeaders, pageFileHeaders } from "./response-headers.ts";

export interface StaticServerOptions {
  /** URL prefix → folder of a page, for example `{ "/": "dist" }`. The longest matching prefix counts, here and in `models`. */
  readonly pages?: Readonly<Record<string, string>>;
  /** URL prefix → folder of model folders, for example `{ "/local-models/": "/data/models" }`. */
  readonly models?: Readonly<Record<string, string>>;
  /** URL path → function that makes the JSON for a request. */
  readonly json?: Readonly<Record<string, () => Promise<unknown>>>;
  /** Answers requests below its path, which ends in a slash, for example "/engine/". */
  readonly relay?: { readonly path: string; readonly answer: EngineRelay } | undefined;
  /** The value of `--host`: requests to this host name are answered, and requests to the loopback's names. */
  readonly host?: string | undefined;
}

/** Limits of connections: their times in milliseconds, and their number. */
export interface ServerLimits {
  readonly headers: number;
  readonly request: number;
  /** Time without a byte in either direction. */
  readonly silence: number;
  /** Time between two checks for idle connections. */
  readonly check: number;
  readonly connections: number;
}

export const serverLimits: ServerLimits = {
  headers: 10_000,
  request: 30_000,
  silence: 120_000,
  check: 2_000,
  connections: 512,
};

type File = Extract<FoundInside, { kind: "file" }>;

/** A request for a file of a folder. */
interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The decoded path, from the server's root. */
  readonly path: string;
  readonly folder: string;
  /** The names of the path below the folder. */
  readonly below: readonly string[];
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { ...dataHeaders, "content-type": "text/plain; charset=utf-8" }).end(message);
}

/** The folder for a path, and the names of the path below it. */
function placeOf(names: readonly string[], { pages = {}, models = {} }: StaticServerOptions) {
  const path = `/${names.join("/")}`;
  const places = [
    ...Object.entries(pages).map(([prefix, folder]) => ({ prefix, folder, isModels: false })),
    ...Object.entries(models).map(([prefix, folder]) => ({ prefix, folder, isModels: true })),
  ].sort((a, b) => b.prefix.length - a.prefix.length);
  const place = places.find(({ prefix }) => path.startsWith(prefix));
  return place && { ...place, below: path.slice(place.prefix.length).split("/") };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: StaticServerOptions,
): Promise<void> {
  const { relay } = options;
  if (relay && request.url?.startsWith(relay.path) && !ownHostRefusal(request, options.host))
    return relay.answer(request, response, request.url.slice(relay.path.length - 1));
  const refusal = fileRequestRefusal(request, options.host);
  if (refusal) {
    // The rest of the request is not read.
    response.setHeader("connection", "close");
    if (refusal.status === 405) response.setHeader("allow", "GET, HEAD");
    return refuse(response, refusal.status, refusal.message);
  }
  const names = decodedPathSegments(request.url ?? "");
  if (names === null) return refuse(response, 400, "The address names nothing that is served here.");
  const path = `/${names.join("/")}`;
  const make = Object.hasOwn(options.json ?? {}, path) ? options.json?.[path] : undefined;
  if (make) {
    const headers = { ...dataHeaders, "content-type": "application/json", "cache-control": "no-store" };
    const text = JSON.stringify(await make());
    response.writeHead(200, headers).end(text);
    return;
  }
  const place = placeOf(names, options);
  if (!place) return missing(response, path);
  const asked: Asked = { request, response, path, folder: place.folder, below: place.below };
  return place.isModels ? answerModelFile(asked) : answerPageFile(asked);
}

function missing(response: ServerResponse, path: string): void {
  refuse(response, 404, `There is nothing at ${path}.`);
}

async function answerModelFile({ request, response, path, folder, below }: Asked): Promise<void> {
  if (!isModelFile(below)) {
    return refuse(response, 403, `${path} is no file of a model. Served are ${modelFileKindsText}.`);
  }
  const found = await resolvePathInside(folder, below);
  if (found?.kind === "outside") {
    return refuse(
      response,
      403,
      `${path} is a link out of the folder that was given with --models. Put the file itself there (cp -L copies what a link leads to).`,
    );
  }
  if (found?.kind !== "file") return missing(response, path);
  await send(request, response, found, { ...modelFileHeaders(path), "cache-control": "no-cache" });
}

async function answerPageFile({ request, response, path, folder, below }: Asked): Promise<void> {
  let found = await resolvePathInside(folder, below);
  if (found?.kind === "folder") {
    if (!path.endsWith("/")) {
      // Built from names that were found, so that the redirect leads only into this folder.
      const location = `${path.split("/").map(encodeURIComponent).join("/")}/`;
      response.writeHead(301, { ...dataHeaders, location }).end();
      return;
    }
    found = await resolvePathInside(folder, [...below, "index.html"]);
  }
  if (found?.kind !== "file") return missing(response, path);
  // The names of built assets contain a hash; other files may change while their names stay.
  const cache = path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  await send(request, response, found, { ...pageFileHeaders(found.path), "cache-control": cache });
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { path, size, modified }: File,
  given: Readonly<Record<string, string>>,
): Promise<void> {
  const etag = `"${size.toString(36)}-${Math.floor(modified).toString(36)}"`;
  const headers = { ...given, "accept-ranges": "bytes", etag };
  if (clientHasVersion(request.headers, etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const wantsPart = request.method === "GET" && maySendRange(request.headers, etag);
  const range = wantsPart ? byteRange(request.headers.range, size) : null;
  if (range === "outside") {
    response.setHeader("content-range", `bytes */${size}`);
    return refuse(response, 416, "The range lies outside the file.");
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const part = range ? { "content-range": `bytes ${start}-${end}/${size}` } : {};
  response.writeHead(range ? 206 : 200, { ...headers, ...part, "content-length": end - start + 1 });
  if (request.method === "HEAD" || size === 0) {
    response.end();
    return;
  }
  const stream = createReadStream(path, { start, end });
  try {
    await pipeline(stream, response, { end: false });
  } catch {
    response.destroy();
  }
  // A file that was shortened meanwhile must not look complete.
  if (stream.bytesRead === end - start + 1) response.end();
  else response.destroy();
}

/** Answers requests, for a server that the caller creates. */
export function createStaticListener(options: StaticServerOptions): RequestListener {
  return (request, response) => {
    answer(request, response, options).catch((error: unknown) => {
      console.error(`${request.method} ${request.url} failed:`, error);
      if (response.headersSent) response.destroy();
      else refuse(response, 500, "The server failed. Its own console says why.");
    });
  };
}

/** Creates a server; the caller starts and closes it. */
export function createStaticServer(
  options: StaticServerOptions,
  limits: ServerLimits = serverLimits,
): Server {
  const listener = createStaticListener(options);
  const server = createServer(
    {
      // `fileRequestRefusal` refuses requests without a host, for all versions of HTTP.
      requireHostHeader: false,
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      connectionsCheckingInterval: limits.check,
      maxHeaderSize: 16_384,
    },
    listener,
  );
  // Requests with `Expect: 100-continue` are answered at once, because no content is read.
  server.on("checkContinue", listener);
  server.setTimeout(limits.silence);
  server.maxConnections = limits.connections;
  return server;
}
