/** The projects of docs/start.md: copied out of the page into a folder, as a reader does. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const page = resolve(import.meta.dirname, "../../docs/start.md");
const block = /^```\w+ e2e\/docs\/start\/(\S+)\n([\s\S]*?)^```$/gm;

export interface StartProject {
  readonly path: string;
  remove(): void;
}

/** A folder with all files of the page, and a CommonJS package.json. @param packageFolder the built package */
export function copyStartProjects(packageFolder: string): StartProject {
  const path = mkdtempSync(join(tmpdir(), "midtoken-start-"));
  writeFileSync(join(path, "package.json"), '{ "name": "story", "version": "1.0.0", "type": "commonjs" }\n');
  mkdirSync(join(path, "node_modules"));
  symlinkSync(packageFolder, join(path, "node_modules/midtoken"), "dir");
  for (const [, name = "", text = ""] of readFileSync(page, "utf8").matchAll(block))
    writeFileSync(join(path, name), text);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
