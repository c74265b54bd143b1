/** A small static file server for the built page: sub-paths, ranges, no listing, nothing outside its folders. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { extname, join, normalize, resolve, sep } from "node:path";

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".ttf": "font/ttf",
  ".png": "image/png",
  ".jinja": "text/plain; charset=utf-8",
  ".onnx": "application/octet-stream",
};

export interface StaticServerOptions {
  /** URL prefix to folder, for example `{ "/": "dist", "/local-models/": "/data/models" }`. The longest prefix wins. */
  readonly mounts: Readonly<Record<string, string>>;
  /** URL path to JSON that is made on request. */
  readonly json?: Readonly<Record<string, () => Promise<unknown>>>;
}

/** Byte range of a `Range: bytes=a-b` header; null when absent, "invalid" when it lies outside. */
function parseRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | null | "invalid" {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return null;
  const start = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const end = match[1] === "" || match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  return start > end || start >= size ? "invalid" : { start, end };
}

/** The file that a URL path names under the mounts, or null when it would leave them. */
function resolvePath(path: string, mounts: Readonly<Record<string, string>>): string | null {
  const prefix = Object.keys(mounts)
    .filter((candidate) => path.startsWith(candidate))
    .sort((a, b) => b.length - a.length)[0];
  if (prefix === undefined) return null;
  const folder = resolve(mounts[prefix] ?? ".");
  const file = normalize(join(folder, path.slice(prefix.length)));
  return file === folder || file.startsWith(folder + sep) ? file : null;
}

function decodePath(url: string): string | null {
  try {
    const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
    return path.includes("\0") ? null : path;
  } catch {
    return null;
  }
}

function fail(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(message);
}

async function answer(request: IncomingMessage, response: ServerResponse, options: StaticServerOptions) {
  const path = decodePath(request.url ?? "/");
  if (path === null) return fail(response, 400, "The address is malformed.");
  if (request.method !== "GET" && request.method !== "HEAD") return fail(response, 405, "Only GET and HEAD.");
  const make = options.json?.[path];
  if (make) {
    response.writeHead(200, { "content-type": types[".json"], "cache-control": "no-store" });
    return response.end(JSON.stringify(await make()));
  }
  let file = resolvePath(path, options.mounts);
  if (file === null) return fail(response, 404, `There is nothing at ${path}.`);
  let info = await stat(file).catch(() => null);
  if (info?.isDirectory()) {
    if (!path.endsWith("/")) return response.writeHead(301, { location: `${path}/` }).end();
    file = join(file, "index.html");
    info = await stat(file).catch(() => null);
  }
  if (!info?.isFile()) return fail(response, 404, `There is nothing at ${path}.`);
  const range = parseRange(request.headers.range, info.size);
  if (range === "invalid") {
    response.setHeader("content-range", `bytes */${info.size}`);
    return fail(response, 416, "The range lies outside the file.");
  }
  response.writeHead(range ? 206 : 200, {
    "content-type": types[extname(file)] ?? "application/octet-stream",
    "content-length": range ? range.end - range.start + 1 : info.size,
    "accept-ranges": "bytes",
    etag: `"${info.size.toString(36)}-${Math.floor(info.mtimeMs).toString(36)}"`,
    // Built assets carry a hash in their name; everything else may change under its name.
    "cache-control": path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    "x-content-type-options": "nosniff",
    ...(range ? { "content-range": `bytes ${range.start}-${range.end}/${info.size}` } : {}),
  });
  if (request.method === "HEAD") return response.end();
  const stream = createReadStream(file, range ?? {});
  stream.on("error", () => response.destroy());
  response.on("close", () => stream.destroy());
  stream.pipe(response);
}

/** A server over `mounts`; the caller listens and closes. */
export function createStaticServer(options: StaticServerOptions): Server {
  return createServer((request, response) => {
    answer(request, response, options).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else fail(response, 500, `The server failed: ${String(error)}`);
    });
  });
}
