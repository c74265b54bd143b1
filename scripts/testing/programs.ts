import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Paths of all programs (.ts, .tsx, .mjs, .html) below `folder`, which is relative to `root`, as the paths are. */
export function programPaths(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return programPaths(root, path);
    return /\.(tsx?|mjs|html)$/.test(entry.name) ? [path] : [];
  });
}
