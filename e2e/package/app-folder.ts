/** Apps outside the repository, with the packed tarball installed. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const fixtures: string = resolve(import.meta.dirname, "fixtures");

export const modelsFolder: string = resolve(import.meta.dirname, "../../public/models");

export interface AppFolder {
  readonly path: string;
  remove(): void;
}

/**
 * A new folder with `app.js`, `main.js` and `midtoken` in its `node_modules`.
 * @param from a folder of fixtures whose files, and the packages that its package.json names, are to be there too.
 */
export function createApp(tarball: string, from?: string): AppFolder {
  const path = mkdtempSync(join(tmpdir(), "midtoken-app-"));
  if (from !== undefined) cpSync(join(fixtures, from), path, { recursive: true });
  else writeFileSync(join(path, "package.json"), '{ "name": "app", "private": true, "type": "module" }\n');
  for (const name of ["app.js", "main.js"]) cpSync(join(fixtures, name), join(path, name));
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  // Without dependencies nothing but the tarball is needed.
  const reach = from === "next" ? "--prefer-offline" : "--offline";
  execFileSync("npm", ["install", reach, ...quiet, tarball], {
    cwd: path,
    stdio: ["ignore", "ignore", "pipe"],
  });
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
