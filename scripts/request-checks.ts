/** Checks a request before a file is looked up: its host, and the names in its target. */
import type { IncomingMessage } from "node:http";
import { type HttpRefusal, hostHeaderRefusal } from "../src/package/node/request-head.ts";

/** Why the request's host is refused; null if it is accepted. @param host the value of `--host` */
export function ownHostRefusal(request: IncomingMessage, host: string | undefined): HttpRefusal | null {
  const cure = (name: string) => `Open the address that npm start printed, or start it with --host ${name}.`;
  return hostHeaderRefusal(request.headersDistinct.host ?? [], { host }, cure);
}

/** Why a request for a file is refused; null if it is accepted. @param host the value of `--host` */
export function fileRequestRefusal(request: IncomingMessage, host: string | undefined): HttpRefusal | null {
  const refusal = ownHostRefusal(request, host);
  if (refusal) return refusal;
  if (request.method !== "GET" && request.method !== "HEAD")
    return { status: 405, message: `This server answers GET and HEAD, not ${request.method}.` };
  const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
  if (length !== "0" || coding !== undefined)
    return { status: 413, message: "This server takes no content with a request." };
  return null;
}

/** Whether a file or folder with this name may be served: no dotfiles, and no names with a special meaning in paths. */
export function isServableFileName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  return name !== "" && !name.startsWith(".") && !/[/\\\u0000-\u001f\u007f]/.test(name);
}

/**
 * The names in the path of a request's target, decoded once, for example `["a b", "c"]` for `/a%20b/c?x`. A slash at the end
 * gives an empty last name. Null if the target is not a path, or has a name that is never served.
 */
export function decodedPathSegments(target: string): string[] | null {
  const [path] = /^\/[^?#]*/.exec(target) ?? [];
  if (path === undefined) return null;
  try {
    const names = path.slice(1).split("/").map(decodeURIComponent);
    return names.every(
      (name, index) => isServableFileName(name) || (name === "" && index === names.length - 1),
    )
      ? names
      : null;
  } catch {
    return null;
  }
}
