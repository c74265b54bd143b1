/**
 * For tests: a small server with the addresses of the Hugging Face hub, over model folders on this machine. It can also do what
 * servers do wrong.
 */
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join, normalize, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";

/** What goes wrong with the next answers for a file. */
export interface Fault {
  /** `drop`: the connection breaks after `bytes`; `short`: the body ends early although nothing broke; `stall`: nothing more comes after `bytes`. */
  readonly kind: "drop" | "short" | "stall" | "no-length" | "html" | "no-range" | "new-etag" | "status";
  readonly bytes?: number;
  readonly status?: number;
  /** Answers that go wrong; all, unless given. */
  times?: number;
}

export interface ModelServerOptions {
  /** Hub id to folder, for example `{ "HuggingFaceTB/SmolLM2-135M-Instruct": "/data/smollm2" }`. */
  readonly folders: Readonly<Record<string, string>>;
  /** By path in the model's folder. Read at each request, so tests may change it. */
  readonly faults?: Map<string, Fault>;
  /** Sees each request for the content of a file: the path and the Range header. */
  readonly onRequest?: (file: string, range: string | null) => void;
}

const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "ETag, Accept-Ranges, Content-Range, X-Linked-Size, X-Linked-ETag",
};

/**
 * Answers `/{owner}/{name}/resolve/{revision}/{path}` with a redirect to the content, as the hub does for large files,
 * with ranges and CORS. Any revision is the folder as it is. The caller listens and closes.
 */
export function createModelServer(options: ModelServerOptions): Server {
  return createServer((request, response) => {
    answer(request, response, options).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: String(error) });
    });
  });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { ...corsHeaders, "content-type": "application/json; charset=utf-8" }).end(text);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ModelServerOptions,
): Promise<void> {
  if (request.method === "OPTIONS") {
    response.writeHead(204, { ...corsHeaders, "access-control-allow-headers": "range" }).end();
    return;
  }
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const match = /^\/(?:(content)\/)?([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(
    decodeURIComponent(pathname),
  );
  const [, isContent, id = "", revision = "", path = ""] = match ?? [];
  const file = match ? fileIn(options.folders[id], path) : null;
  const info = file === null ? null : await stat(file).catch(() => null);
  if (file === null || !info?.isFile()) {
    const error = id in options.folders ? "Entry not found" : "Repository not found";
    response.setHeader("x-error-message", error);
    return sendJson(response, id in options.folders ? 404 : 401, { error });
  }
  const etag = `"${info.size.toString(16)}-${Math.floor(info.mtimeMs).toString(16)}"`;
  if (isContent === undefined) {
    response.setHeader("location", `/content/${id}/resolve/${revision}/${path}`);
    response.writeHead(302, { ...corsHeaders, "x-linked-size": info.size, "x-linked-etag": etag }).end();
    return;
  }
  await sendContent(request, response, { file, path, size: info.size, etag }, options);
}

/** A path inside `folder`, or null where there is no folder or the path leaves it. */
function fileIn(folder: string | undefined, path: string): string | null {
  if (folder === undefined || path.includes("\0")) return null;
  const file = normalize(join(resolve(folder), path));
  return file.startsWith(resolve(folder) + sep) ? file : null;
}

interface Content {
  readonly file: string;
  readonly path: string;
  readonly size: number;
  readonly etag: string;
}

function takeFault(path: string, faults: Map<string, Fault> | undefined): Fault | null {
  const fault = faults?.get(path) ?? null;
  if (fault?.times === undefined) return fault;
  if (fault.times <= 0) return null;
  fault.times--;
  return fault;
}

async function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  content: Content,
  options: ModelServerOptions,
): Promise<void> {
  options.onRequest?.(content.path, request.headers.range ?? null);
  const fault = takeFault(content.path, options.faults);
  if (fault?.kind === "status") return sendJson(response, fault.status ?? 503, { error: "asked to fail" });
  if (fault?.kind === "html") {
    response
      .writeHead(200, { ...corsHeaders, "content-type": "text/html" })
      .end("<!doctype html><p>Please log in.");
    return;
  }
  const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? "");
  const start = asked && fault?.kind !== "no-range" ? Number(asked[1]) : 0;
  if (start > 0 && start >= content.size) {
    response.writeHead(416, { ...corsHeaders, "content-range": `bytes */${content.size}` }).end();
    return;
  }
  const headers: Record<string, string | number> = {
    ...corsHeaders,
    "content-type": "application/octet-stream",
    etag: fault?.kind === "new-etag" ? '"another"' : content.etag,
  };
  if (fault?.kind !== "no-length" && fault?.kind !== "short")
    headers["content-length"] = content.size - start;
  if (fault?.kind === "short") headers["x-linked-size"] = content.size;
  // A connection that will break is not to be used again by the next request.
  if (fault?.kind === "drop") headers.connection = "close";
  if (start > 0) headers["content-range"] = `bytes ${start}-${content.size - 1}/${content.size}`;
  response.writeHead(start > 0 ? 206 : 200, headers);
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  const source = createReadStream(content.file, { start });
  await pipeline(cut(source, fault, response), response).catch(() => response.destroy());
}

/** Lets `fault.bytes` bytes through, then breaks, ends or stalls. */
async function* cut(source: AsyncIterable<Buffer>, fault: Fault | null, response: ServerResponse) {
  if (fault?.kind !== "drop" && fault?.kind !== "short" && fault?.kind !== "stall") return yield* source;
  let left = fault.bytes ?? 0;
  for await (const chunk of source) {
    const piece = chunk.subarray(0, left);
    left -= piece.length;
    if (piece.length > 0) yield piece;
    if (left === 0) break;
  }
  if (fault.kind === "short") return;
  // The socket has to have sent the piece before it breaks.
  if (fault.kind === "drop") setTimeout(() => response.destroy(), 20);
  await once(response, "close");
}
