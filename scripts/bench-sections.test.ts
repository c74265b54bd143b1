/** Each section of a bench is named in a document: a section whose question is settled is deleted. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** Names of the sections in the text of a bench, such as `walks` in `{ walks: walkRows }`. */
function sectionsIn(text: string): readonly string[] {
  const table = text.match(
    /\n(?:const (?:all|sections)\b.*|await runSections\(\n {2}"\w+",\n {2})\{\n([\s\S]*?)\n *\}[;,]/,
  );
  const lines = table?.[1]?.split("\n") ?? [];
  const indent = lines[0]?.match(/^ */)?.[0] ?? "";
  return lines.flatMap(
    (line) => line.match(new RegExp(`^${indent}(?:\\.\\.\\..* )?"?([\\w-]+)"?[:,]`))?.[1] ?? [],
  );
}

/** Paths of all Markdown files of the repository's documents. */
function documentPaths(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "api" ? [] : documentPaths(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

test("each section of a bench is named in a document", () => {
  const documents = ["docs", "scripts/gpu"].flatMap(documentPaths);
  const commands = documents.flatMap((path) =>
    Array.from(
      readFileSync(join(root, path), "utf8").matchAll(
        /\b(\w+) (?:--(?!only)[\w-]+ (?:[\w.:,=]+ )?)*--only ([\w,-]+)/g,
      ),
    ),
  );
  const benches = readdirSync(join(root, "e2e/bench")).filter((file) => file.endsWith(".bench.ts"));
  const sections = benches.flatMap((file) =>
    sectionsIn(readFileSync(join(root, "e2e/bench", file), "utf8")).map(
      (section) => [file.replace(".bench.ts", ""), section] as const,
    ),
  );
  expect(sections.length).toBeGreaterThan(60);
  const isNamed = ([bench, section]: readonly [string, string]) =>
    commands.some(([, of, names = ""]) => of === bench && names.split(",").includes(section));
  expect(sections.filter((each) => !isNamed(each)).map(([bench, section]) => `${bench} ${section}`)).toEqual(
    [],
  );
});
