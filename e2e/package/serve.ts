/** A plain static server for fixtures, as strict as a content security policy that it is given. */
import { createReadStream, statSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

export interface Served {
  /** Ends without a slash. */
  readonly origin: string;
  /** Paths that were asked for and were not there. */
  readonly missing: readonly string[];
  close(): Promise<void>;
}

export interface ServeOptions {
  /** URL prefix, with slashes at both ends, to folder; the longest counts. */
  readonly folders: Readonly<Record<string, string>>;
  /** Headers for a path. */
  readonly headers?: (path: string) => Readonly<Record<string, string>>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

export async function serve({ folders, headers = () => ({}) }: ServeOptions): Promise<Served> {
  const missing: string[] = [];
  const prefixes = Object.keys(folders).sort((one, other) => other.length - one.length);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://fixture").pathname);
    const prefix = prefixes.find((each) => path.startsWith(each));
    const below = path.endsWith("/") ? `${path}index.html` : path;
    const file = prefix && normalize(join(folders[prefix] ?? "", below.slice(prefix.length)));
    if (
      !file?.startsWith(normalize(folders[prefix ?? ""] ?? "\0")) ||
      !sendFile(file, headers(path), response)
    ) {
      missing.push(path);
      response.writeHead(404, { "content-type": "text/plain" }).end("not here");
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    missing,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Whether it is there. */
function sendFile(
  file: string,
  headers: Readonly<Record<string, string>>,
  response: ServerResponse,
): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) return false;
  response.writeHead(200, {
    "content-type": types[extname(file)] ?? "application/octet-stream",
    "content-length": found.size,
    ...headers,
  });
  createReadStream(file).pipe(response);
  return true;
}
