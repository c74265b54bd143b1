/**
 * Examples in the documents are files, which are type-checked and run: a code block that names a file shows the whole file. `npx
 * tsx scripts/doc-examples.ts` writes the files into the documents.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** Each of these documents has a folder of the same name in `e2e/docs`. */
export const docPagesWithExamples = readdirSync(join(root, "e2e/docs")).map((name) => `docs/${name}.md`);

const block = /^```(?:ts|tsx|html|mjs|json) (\S+)\n([\s\S]*?)^```$/gm;

/** The document with the present contents of the files that its code blocks name. @throws Error if a file does not exist */
export function insertExamplesIntoMarkdown(page: string): string {
  return page.replace(block, (_, path: string) => {
    const language = path.slice(path.lastIndexOf(".") + 1);
    const text = readFileSync(join(root, path), "utf8").replaceAll(/^.*biome-ignore.*\n/gm, "");
    return `\`\`\`${language} ${path}\n${text}\`\`\``;
  });
}

/**
 * The files that a document shows, and the number of code blocks that show no file; JSON blocks without a file name do not count
 * as code.
 */
export function examplesInMarkdown(page: string): {
  readonly files: readonly string[];
  readonly others: number;
} {
  const files = [...page.matchAll(block)].map(([, path = ""]) => path);
  return {
    files,
    others: (page.match(/^```(?:(?:ts|typescript|js|mjs|tsx|html)\b|json \S)/gm)?.length ?? 0) - files.length,
  };
}

export function readDocument(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

if (process.argv[1] === import.meta.filename) {
  for (const page of docPagesWithExamples)
    writeFileSync(join(root, page), insertExamplesIntoMarkdown(readDocument(page)));
}
