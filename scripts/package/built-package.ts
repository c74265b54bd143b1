/**
 * The built package for tests. Several test files need it, and one build takes 20 s of processor time: the first test file builds
 * the package, and the others copy this build as long as no source has changed.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { buildPackage } from "./build.ts";
import type { Declarations } from "./declarations.ts";
import { root } from "./subpaths.ts";

/** All inputs of the package. The last file changes with each installed dependency. */
const inputs = [
  ...["src", "scripts", "docs", "LICENSE", "models.json"],
  ...["package.json", "package-lock.json", "tsconfig.json", "node_modules/.package-lock.json"],
];

const cache = resolve(root, "node_modules/.cache/midtoken-package");

/** Copies the package, built from the present sources, into a folder that is empty or does not exist. */
export async function copyBuiltPackage(folder: string): Promise<void> {
  cpSync(await builtFolder(), folder, { recursive: true });
}

/** The declarations of the package, built from the present sources. */
export async function builtDeclarations(): Promise<Declarations> {
  return declarationsOf(await builtFolder());
}

/** The declarations of a built package. */
export function declarationsOf(folder: string): Declarations {
  const dist = join(folder, "dist");
  const paths = filesBelow(join(dist, "types")).map((path) => relative(dist, path).replaceAll("\\", "/"));
  return new Map(paths.map((path) => [path, readFileSync(join(dist, path), "utf8")]));
}

async function builtFolder(): Promise<string> {
  const place = join(cache, fingerprint(root, inputs));
  if (existsSync(place)) return place;
  mkdirSync(cache, { recursive: true });
  await underLock(join(cache, "lock"), async () => {
    if (existsSync(place)) return;
    for (const name of readdirSync(cache))
      if (!name.startsWith("lock")) rmSync(join(cache, name), { recursive: true, force: true });
    // Built in another folder and renamed: an interrupted build leaves no incomplete package here.
    const aside = mkdtempSync(join(cache, "new-"));
    await buildPackage(aside);
    renameSync(aside, place);
  });
  return place;
}

/** Changes when a file below the named paths is added, removed or written. */
export function fingerprint(folder: string, paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((name) => filesBelow(join(folder, name)))) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${relative(folder, path)}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

/** Full paths, sorted; empty if the path does not exist. */
function filesBelow(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).sort();
  return names.flatMap((name) => filesBelow(join(path, name)));
}

/** Test files run in several processes: one process builds, and the others wait for its build. */
async function underLock(lock: string, work: () => Promise<void>): Promise<void> {
  while (!tryToLock(lock)) {
    if (!isHeld(lock)) rmSync(lock, { force: true });
    await wait(100);
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/**
 * The lock is a file with the id of the process that holds it. Linking creates the file together with its content, and succeeds
 * in only one process.
 */
function tryToLock(lock: string): boolean {
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, `${process.pid}`);
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(own);
  }
}

/** Whether the process that made the lock still runs: a killed process leaves its lock behind. */
function isHeld(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, "utf8")), 0);
    return true;
  } catch (error) {
    // ENOENT: the lock was released a moment ago. EPERM: the process belongs to another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
