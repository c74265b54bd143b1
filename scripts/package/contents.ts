/** What is in the npm package: every file, as `npm pack` takes it. */
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** Paths below the package's folder, sorted. Its manifest takes `dist` and what npm always takes. */
export function packageFiles(folder: string): readonly string[] {
  return filesBelow(folder)
    .map((path) => relative(folder, path).replaceAll("\\", "/"))
    .sort();
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
