/**
 * Checks for which server a request is meant, by its raw `Host` header and its raw target, before anything else reads them.
 * An attacker can make a domain name point to this machine (DNS rebinding); the attacker's page would then count as a page
 * of this server.
 */
import { isIP, isIPv4 } from "node:net";
import { hostname, networkInterfaces } from "node:os";

/** Why a request is refused: the status, and a sentence for the user. */
export interface HttpRefusal {
  readonly status: number;
  readonly message: string;
}

/** The names that a server answers to. */
export interface ServerNames {
  /** The name or address on which the server listens; by default loopback. */
  readonly host?: string | undefined;
  /** Further names, in lower case and without a port, for example the public name of a proxy. */
  readonly allowed?: readonly string[];
  /** This machine; tests replace it. */
  readonly machine?: LocalMachine;
}

export interface LocalMachine {
  name(): string;
  /** Addresses of all its network interfaces. */
  addresses(): readonly string[];
}

const thisMachine: LocalMachine = {
  name: hostname,
  addresses: () =>
    Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address)),
};

/** Addresses that mean all networks of the machine. */
const wildcards = ["0.0.0.0", "::", "::0"];

/** Whether only this machine can reach a server that listens on this name or address. */
export function isLoopback(host: string): boolean {
  return (
    host === "localhost" || host === "::1" || host === "[::1]" || (isIPv4(host) && host.startsWith("127."))
  );
}

/** The name in a `Host` header, in lower case, with IPv6 addresses without brackets; null if the header is malformed. */
function nameIn(header: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(header);
  const [, address, name, port = "0"] = match ?? [];
  if (Number(port) > 65_535) return null;
  if (address !== undefined) return isIP(address) === 6 ? address.toLowerCase() : null;
  return name?.toLowerCase() ?? null;
}

/** Whether a value of `--allow-host` is a name or an address in the form of a `Host` header, without a port. */
export function isHostName(value: string): boolean {
  return isIP(value) === 6 || (!value.includes(":") && nameIn(value) === value);
}

function isOwnName(
  name: string,
  { host = "127.0.0.1", allowed = [], machine = thisMachine }: ServerNames,
): boolean {
  if (isLoopback(name) || name === host.toLowerCase() || allowed.includes(name)) return true;
  if (isLoopback(host)) return false;
  // An address cannot be pointed elsewhere by DNS. In a container, the address that clients use is not one of the machine's
  // own.
  if (isIP(name) !== 0) return wildcards.includes(host) || machine.addresses().includes(name);
  const own = machine.name().toLowerCase();
  return name === own || name === `${own.split(".")[0]}.local`;
}

/**
 * Why the `Host` header is refused; null if the server answers to it.
 * @param hosts all `Host` headers of the request
 * @param advice the sentence that says how to make the server answer to a name
 */
export function hostHeaderRefusal(
  hosts: readonly string[],
  own: ServerNames,
  advice: (name: string) => string,
): HttpRefusal | null {
  const name = hosts.length === 1 ? nameIn(hosts[0] ?? "") : null;
  if (name === null) {
    const given = hosts.length === 0 ? "none" : hosts.join(", ").slice(0, 100);
    return { status: 400, message: `The request must name one host, but names ${given}.` };
  }
  if (isOwnName(name, own)) return null;
  const shown = name.slice(0, 100);
  const why = `This server does not answer to the name "${shown}": another site may have pointed that name at this machine.`;
  return { status: 421, message: `${why} ${advice(shown)}` };
}

/**
 * The address that a request asks for, always at the host of its `Host` header; null if the target names another host.
 * `//evil.example/x` is a path of this server; `http://evil.example/x` is refused.
 * @param host the `Host` header, already checked
 */
export function requestUrlOf(target: string, host: string): URL | null {
  if (target.startsWith("/")) return new URL(`http://${host}${target}`);
  const [, authority, path = ""] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  if (authority?.toLowerCase() !== host.toLowerCase()) return null;
  return new URL(`http://${host}${path.startsWith("/") ? path : `/${path}`}`);
}
