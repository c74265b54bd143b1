/** Apps outside the repository, with the packed tarball installed. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const fixtures = resolve(import.meta.dirname, "fixtures");

export const modelsFolder: string = resolve(import.meta.dirname, "../../public/models");

export interface AppFolder {
  readonly path: string;
  remove(): void;
}

/**
 * A new folder with `app.js`, `main.js` and `midtoken` in its `node_modules`.
 * @param tarball or the folder of the built package, which is then linked.
 * @param from a folder of fixtures whose files, and the packages that its package.json names, are to be there too.
 */
export function createApp(tarball: string, from?: string): AppFolder {
  const path = mkdtempSync(join(tmpdir(), "midtoken-app-"));
  if (from !== undefined) cpSync(join(fixtures, from), path, { recursive: true });
  else writeFileSync(join(path, "package.json"), '{ "name": "app", "private": true, "type": "module" }\n');
  for (const name of ["app.js", "main.js"]) cpSync(join(fixtures, name), join(path, name));
  if (statSync(tarball).isDirectory()) {
    mkdirSync(join(path, "node_modules"));
    symlinkSync(tarball, join(path, "node_modules/midtoken"), "dir");
  } else install(path, tarball, from === "next");
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** @param fromRegistry whether other packages are to be had too. Without, nothing but the tarball is needed. */
export function install(path: string, tarball: string, fromRegistry: boolean): void {
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const reach = fromRegistry ? "--prefer-offline" : "--offline";
  execFileSync("npm", ["install", reach, ...quiet, tarball], {
    cwd: path,
    stdio: ["ignore", "ignore", "pipe"],
  });
}
