/** Files of models that were downloaded, kept in a folder of the user's. A file is kept whole or not at all. */
import { randomUUID } from "node:crypto";
import { openAsBlob } from "node:fs";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { FileCache } from "../engine/cache.ts";

/** `midtoken/models` in the folder for what can be fetched again: `$XDG_CACHE_HOME`, or what the system has in its place. */
export function defaultCacheFolder(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_CACHE_HOME: given, LOCALAPPDATA: local } = environment;
  // The rules of XDG ignore a path that is not absolute.
  if (given && isAbsolute(given)) return join(given, "midtoken", "models");
  if (platform === "win32" && local) return join(local, "midtoken", "models");
  if (platform === "darwin") return join(homedir(), "Library", "Caches", "midtoken", "models");
  return join(homedir(), ".cache", "midtoken", "models");
}

export function diskCache(folder: string): FileCache {
  return {
    get: (url) => unlessMissing(async () => new Uint8Array(await readFile(pathOf(folder, url)))),
    open: (url) =>
      unlessMissing(async () => {
        const path = pathOf(folder, url);
        // `openAsBlob` takes a folder for an empty file.
        return (await stat(path)).isFile() ? openAsBlob(path) : null;
      }),
    async put(url, content) {
      const path = pathOf(folder, url);
      // Beside its place, so that it comes there by a name alone: whoever looks meanwhile sees all of it or nothing.
      const partial = `${path}.${randomUUID()}.partial`;
      await mkdir(dirname(path), { recursive: true });
      try {
        await writeFile(partial, content, { flag: "wx" });
        await rename(partial, path);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
  };
}

async function unlessMissing<Content>(look: () => Promise<Content | null>): Promise<Content | null> {
  try {
    return await look();
  } catch (error) {
    // A folder stands there, or a file where a folder would.
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(code)) return null;
    throw error;
  }
}

/** Folders as the address has them. No two addresses have one path, and none leads out of `folder`. */
function pathOf(folder: string, url: string): string {
  const { protocol, host, pathname, search } = new URL(url);
  const parts = [protocol.slice(0, -1), host, ...`${pathname.slice(1)}${search}`.split("/")];
  return join(folder, ...parts.map(fileName));
}

/** Letters, digits and what is harmless in names of every system stay; `%` and the rest are written as `%` and their code. */
function fileName(part: string): string {
  const plain = part.replace(/[^\w.-]/g, (character) => `%${character.codePointAt(0)?.toString(16)}`);
  return plain === "" || /^\.|\.partial$/.test(plain) ? `%${plain}` : plain;
}
