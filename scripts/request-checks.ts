/** What of a request is checked before any file is looked for: who it was meant for, and which names its target has. Pure. */
import type { IncomingMessage } from "node:http";
import { isIP, isIPv4 } from "node:net";

/** A request that is refused: the status and a sentence for whoever reads it. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Addresses on which a server listens for every network of the machine. */
const wildcards = ["0.0.0.0", "::", "::0"];

/** The name in a `Host` header, in lower case, IPv6 addresses without brackets; null where it is none. */
function hostName(header: string): string | null {
  const [, address, name] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(header) ?? [];
  if (address !== undefined) return isIP(address) === 6 ? address.toLowerCase() : null;
  return name?.toLowerCase() ?? null;
}

/**
 * Whether a page under this name may be this server's. A stranger's name can be made to lead to this machine (DNS rebinding),
 * and the stranger's page would then read what lies here; a name of this machine, or an address, cannot.
 * @param host what `--host` says; on `0.0.0.0` and `::` any address will do.
 */
function isOwnName(name: string, host: string | undefined): boolean {
  if (name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."))) return true;
  if (host === undefined) return false;
  return wildcards.includes(host) ? isIP(name) !== 0 : name === host.toLowerCase();
}

/** What is wrong with the head of a request, null for nothing. @param host what `--host` says. */
export function headRefusal(request: IncomingMessage, host: string | undefined): Refusal | null {
  const named = request.headersDistinct.host ?? [];
  const name = named.length === 1 ? hostName(named[0] ?? "") : null;
  if (name === null) {
    const given = named.length === 0 ? "none" : named.join(", ").slice(0, 100);
    return { status: 400, message: `The request must name one host, and names ${given}.` };
  }
  if (!isOwnName(name, host)) {
    const message = `This server does not answer to the name "${name.slice(0, 100)}": it could be another's that was made to lead here. Open the address that npm start printed, or start it with --host ${name.slice(0, 100)}.`;
    return { status: 421, message };
  }
  if (request.method !== "GET" && request.method !== "HEAD")
    return { status: 405, message: `This server answers GET and HEAD, not ${request.method}.` };
  const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
  if (length !== "0" || coding !== undefined)
    return { status: 413, message: "This server takes no content with a request." };
  return null;
}

/** Whether a file or folder of this name is ever served: no dotfiles, nothing that a path could mean otherwise. */
export function isServedName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  return name !== "" && !name.startsWith(".") && !/[/\\\u0000-\u001f\u007f]/.test(name);
}

/**
 * The names in the path of a request's target, decoded once, for example `["a b", "c"]` for `/a%20b/c?x`. A slash at the end
 * gives an empty last name. Null where the target is no path, or one with a name that is nowhere served.
 */
export function namesOf(target: string): string[] | null {
  const [path] = /^\/[^?#]*/.exec(target) ?? [];
  if (path === undefined) return null;
  try {
    const names = path.slice(1).split("/").map(decodeURIComponent);
    return names.every((name, index) => isServedName(name) || (name === "" && index === names.length - 1))
      ? names
      : null;
  } catch {
    return null;
  }
}
