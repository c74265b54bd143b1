/** Registers mods from files, under names that can be part of a model string. */
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ModLimits } from "../../../runtime/session/shared/requests.ts";
import type { MidtokenEngine } from "../../api/midtoken-engine.ts";
import { UsageError } from "./terminal.ts";
import type { RunTrustedModFile } from "./trusted-file.ts";

/** A mod's file and how its mod runs. */
export interface ModFileSettings {
  /** As given; `FILE#NAME` runs the export NAME. */
  readonly path: string;
  /** Whether the mod runs in this process, without a sandbox. */
  readonly isTrusted?: boolean;
  readonly limits?: ModLimits | undefined;
}

/**
 * Registers the mods. Returns their names.
 * @throws UsageError if a file cannot be read, or a trusted one does not compile or throws; rejects as `mods.register` does,
 * with the mod's name in the message.
 */
export async function registerModFiles(
  engine: MidtokenEngine,
  files: readonly ModFileSettings[],
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { path: given, isTrusted = false, limits } of files) {
    const [, path = given, entry] = /^(.*\.\w+)#([^#/\\]+)$/.exec(given) ?? [];
    const source = await readFile(path, "utf8").catch((cause: unknown) => {
      throw new UsageError(`The mod ${path} cannot be read: ${(cause as Error).message}.`, { cause });
    });
    const name = freeName(path, [...names, ...engine.mods.list().map((mod) => mod.name)]);
    // Every gateway reads its own files, so these mods do not belong in a shared store.
    const trusted = isTrusted ? await trustedFile(path, name, source) : null;
    await engine.mods.register(
      { name, source, ...(entry !== undefined && { entry }) },
      { store: false, ...(trusted && { trusted }), ...(limits && { limits }) },
    );
    names.push(name);
  }
  return names;
}

/** Imported on demand, because it contains the compiler and the mask engine. */
async function trustedFile(path: string, name: string, source: string): Promise<RunTrustedModFile> {
  const { loadTrustedModFile } = await import("./trusted-file.ts");
  return loadTrustedModFile(path, name, source);
}

/** The mod files in a folder, sorted by name. @throws UsageError if the folder cannot be read */
export async function listModFiles(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch((cause: unknown) => {
    throw new UsageError(`The folder ${folder} cannot be read: ${(cause as Error).message}.`, { cause });
  });
  const mods = files.filter((file) => /\.[cm]?[jt]s$/.test(file) && !/\.d\.[cm]?ts$/.test(file));
  return mods.sort().map((file) => join(folder, file));
}

function freeName(path: string, taken: readonly string[]): string {
  const plain = basename(path)
    .replace(/\.[cm]?[jt]s$/, "")
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+/, "");
  const name = plain === "" ? "mod" : plain;
  for (let count = 1; ; count++) {
    const free = count === 1 ? name : `${name}-${count}`;
    if (!taken.includes(free)) return free;
  }
}
