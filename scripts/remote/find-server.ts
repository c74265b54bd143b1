/** Finds a llama.cpp server for tests and scripts. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { defaultCacheFolder } from "../../src/package/node/disk-store.ts";

export interface InstalledLlamaServer {
  /** The program to start. */
  readonly command: string;
  /** Arguments that come before the server's own. */
  readonly before: readonly string[];
  /** The folder that the server sees as its root directory; null if it sees the machine's own. */
  readonly root: string | null;
}

/** The folder into which `npm run remote -- install` installs a Debian with the server. */
export const llamaInstallFolder = (): string => join(dirname(defaultCacheFolder()), "llama.cpp");

/**
 * The server that `LLAMA_SERVER` names, or the installed one; null if there is neither.
 * @throws Error if `LLAMA_SERVER` names a file that does not exist.
 */
export function findLlamaServer(environment = process.env): InstalledLlamaServer | null {
  const given = environment.LLAMA_SERVER;
  if (given) {
    if (!existsSync(given))
      throw new Error(`LLAMA_SERVER is ${given}, and there is no such file. Correct it or unset it.`);
    return { command: given, before: [], root: null };
  }
  const root = llamaInstallFolder();
  // Only root may change the root directory of a process.
  if (process.getuid?.() !== 0 || !existsSync(join(root, "usr/bin/llama-server"))) return null;
  return { command: "chroot", before: [root, "llama-server"], root };
}

/** One line that says why tests with a real server are skipped. */
export const llamaServerRequirement =
  "a real llama.cpp server: run `npm run remote -- install`, or set LLAMA_SERVER";
