/**
 * Measures the size of an import of an entry: all scripts that load before the app calls anything, minified and compressed as by
 * an app's bundler.
 */
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { OutputOptions } from "rolldown";
import { bundleInMemory } from "./modules.ts";
import { packageFolder, type Subpath } from "./subpaths.ts";

/** Two ways in which an app's bundler may lay the scripts out: unchanged, or everything that loads at the start in one file. */
const layouts = [
  true,
  { groups: [{ name: "first", tags: ["$initial"] }] },
] satisfies OutputOptions["codeSplitting"][];

/** Bytes after gzip, in the smaller of the two layouts. Scripts that are imported on demand are left out, and so are React and other peers. */
export async function measureImportBytes({ name }: Subpath, folder: string = packageFolder): Promise<number> {
  return Math.min(...(await Promise.all(layouts.map((layout) => bytesOf(name, folder, layout)))));
}

async function bytesOf(
  name: string,
  folder: string,
  layout: OutputOptions["codeSplitting"],
): Promise<number> {
  const parts = await bundleInMemory({
    cwd: folder,
    input: { [name]: resolve(folder, `dist/${name}.js`) },
    preserveEntrySignatures: "strict",
    external: /^(react|react-dom|@ai-sdk\/provider|midtoken)($|\/)|portable-/,
    output: {
      format: "es",
      minify: true,
      entryFileNames: "[name].js",
      codeSplitting: layout ?? true,
    },
  });
  const chunks = parts.filter((part) => part.type === "chunk");
  const [entry] = chunks.filter(({ isEntry }) => isEntry);
  const needed = new Set(entry ? [entry] : []);
  for (const { imports } of needed) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) needed.add(chunk);
  }
  return [...needed].reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0);
}
