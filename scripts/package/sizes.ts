/** What an import of an entry costs before anything of it is called: its scripts, minified as an app's bundler does it, and compressed. */
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { OutputOptions } from "rolldown";
import { bundle } from "./modules.ts";
import { packageFolder, type Subpath } from "./subpaths.ts";

/** How an app's bundler may lay it out: as it comes, or with all that is needed from the start in one file. */
const layouts = [
  true,
  { groups: [{ name: "first", tags: ["$initial"] }] },
] satisfies OutputOptions["codeSplitting"][];

/** Bytes, gzip. What is imported on demand is not in it, nor are React and other peers. */
export async function importedBytes({ name }: Subpath, folder: string = packageFolder): Promise<number> {
  return Math.min(...(await Promise.all(layouts.map((layout) => bytesOf(name, folder, layout)))));
}

async function bytesOf(
  name: string,
  folder: string,
  layout: OutputOptions["codeSplitting"],
): Promise<number> {
  const parts = await bundle({
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
