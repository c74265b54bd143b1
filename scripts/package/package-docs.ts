/**
 * The documents of the npm package, in its folder `docs`: the guides and the API reference. For example, docs/remote.md comes
 * whole, but its link to docs/internals/server-logits.md, which the package does not contain, becomes plain text.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";
import { root } from "./subpaths.ts";

/** Documents about the project, not about the package. `package.md` is the README of the package. */
const leftOut: ReadonlySet<string> = new Set(["package.md", "measurements.md"]);

/** Path below `docs` → text. */
export function packageDocuments(): ReadonlyMap<string, string> {
  const folder = resolve(root, "docs");
  const markdownIn = (path: string) => readdirSync(join(folder, path)).filter((name) => name.endsWith(".md"));
  const guides = markdownIn(".").filter((name) => !leftOut.has(name));
  const reference = markdownIn("api").map((name) => `api/${name}`);
  const paths = new Set([...guides, ...reference]);
  const textOf = (path: string) => withLinksWithin(readFileSync(join(folder, path), "utf8"), path, paths);
  return new Map([...paths].map((path) => [path, textOf(path)]));
}

/** @param folder of the package */
export function writePackageDocuments(folder: string): void {
  for (const [path, text] of packageDocuments()) {
    const file = join(folder, "docs", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The text, in which links to files that are not in the package are plain text. `path`: of the document, below `docs`. */
export function withLinksWithin(text: string, path: string, paths: ReadonlySet<string>): string {
  return text.replace(/\[([^\]\n]*)\]\(([^)\s]*)\)/g, (link, words: string, target: string) => {
    const [file = ""] = target.split("#");
    if (file === "package.md") return `[${words}](${target.replace(file, "../README.md")})`;
    const isOutside = file === "" || /^[a-z]+:/.test(file);
    return isOutside || paths.has(normalize(join(dirname(path), file))) ? link : words;
  });
}
