/**
 * The public addresses in the package's package.json, from the git remote `origin` of this clone. For example, the remote
 * `git@github.com:owner/midtoken.git` gives
 *   repository  git+https://github.com/owner/midtoken.git
 *   homepage    https://github.com/owner/midtoken#readme
 *   bugs        https://github.com/owner/midtoken/issues
 * A clone of a folder or of a machine in the local network has no public address: the package then names none.
 */
import { spawnSync } from "node:child_process";
import { root } from "./subpaths.ts";

/** Fields of package.json, see https://docs.npmjs.com/cli/configuring-npm/package-json. */
export interface PublicAddresses {
  readonly homepage: string;
  readonly repository: { readonly type: "git"; readonly url: string };
  readonly bugs: { readonly url: string };
}

/** `git@HOST:PATH`, the short form of `ssh://git@HOST/PATH`. */
const shortSshAddress = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/;

/** Names of hosts that only a local network knows (RFC 6761, RFC 6762 and RFC 8375). */
const localHost = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa|test|example|invalid)$/;

/** The addresses of a git remote, or `undefined` if the remote is not at a public host. User name, password and port are left out. */
export function publicAddresses(remote: string): PublicAddresses | undefined {
  const short = shortSshAddress.exec(remote);
  const address = short === null ? remote : `ssh://${short[1]}/${short[2]}`;
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, pathname } = new URL(address);
  const isGitProtocol = ["https:", "http:", "ssh:", "git:", "git+https:", "git+ssh:"].includes(protocol);
  const isPublicName = /\.[a-z][a-z-]*$/.test(hostname) && !localHost.test(hostname);
  const path = pathname.replace(/\/+$/, "").replace(/\.git$/, "");
  if (!isGitProtocol || !isPublicName || path === "") return undefined;
  const page = `https://${hostname}${path}`;
  return {
    homepage: `${page}#readme`,
    repository: { type: "git", url: `git+${page}.git` },
    bugs: { url: `${page}/issues` },
  };
}

/** The remote `origin` of this clone; empty without one, without git, and outside a clone. */
export function originOfClone(folder: string = root): string {
  const { stdout } = spawnSync("git", ["config", "--get", "remote.origin.url"], {
    cwd: folder,
    encoding: "utf8",
  });
  return (stdout ?? "").trim();
}
