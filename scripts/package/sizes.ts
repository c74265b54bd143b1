/** What an import of an entry costs before anything of it is called: its scripts, minified as an app's bundler does it, and compressed. */
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { bundle } from "./modules.ts";
import { packageFolder, type Subpath } from "./subpaths.ts";

/** Bytes, gzip. What is imported on demand is not in it, nor are React and other peers. */
export async function importedBytes({ name }: Subpath, folder: string = packageFolder): Promise<number> {
  const parts = await bundle({
    cwd: folder,
    input: { [name]: resolve(folder, `dist/${name}.js`) },
    preserveEntrySignatures: "strict",
    external: /^(react|react-dom|@ai-sdk\/provider|midtoken)($|\/)|portable-/,
    output: {
      format: "es",
      minify: true,
      entryFileNames: "[name].js",
      // As an app has it: what is needed from the start is one file.
      codeSplitting: { groups: [{ name: "first", tags: ["$initial"] }] },
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
