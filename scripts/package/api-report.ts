/**
 * The API of one entry in Markdown: every exported name with its docstring and declaration, then the types that these mention.
 * It is the reference for people, and a report of what changed: `docs/api` holds it, and a test compares.
 */
import { posix } from "node:path";
import type { Declarations } from "./declarations.ts";
import { type DeclarationFile, type Declared, readDeclarationFile } from "./declared-names.ts";

interface Found {
  readonly path: string;
  readonly declared: Declared;
}

/** @param entry path of its declarations. @throws Error for an exported name that is nowhere declared. */
export function apiReport(title: string, entry: string, declarations: Declarations): string {
  const files = new Map([...declarations].map(([path, text]) => [path, readDeclarationFile(path, text)]));
  const names = [...exportedNames(entry, files)].sort((one, other) => (one < other ? -1 : 1));
  const exported = names.map((name) => ({ name, found: declarationsOf(name, entry, files) }));
  const mentioned = mentionedBy(
    exported.flatMap(({ found }) => found),
    files,
  );
  return [
    `# ${title}`,
    "Made from the sources by `npm run package -- --report`; a test compares it with them.",
    ...exported.map(({ name, found }) => section(name, found)),
    ...(mentioned.length > 0 ? ["# Types that these mention", ...mentioned.map(typeSection)] : []),
    "",
  ].join("\n\n");
}

function section(name: string, found: readonly Found[]): string {
  return [`## ${name}`, ...found.flatMap(({ declared }) => describe(declared))].join("\n\n");
}

function typeSection({ declared }: Found): string {
  return [`## ${declared.names.join(", ")}`, ...describe(declared)].join("\n\n");
}

function describe({ comment, code }: Declared): readonly string[] {
  const block = `\`\`\`ts\n${code}\n\`\`\``;
  return comment === "" ? [block] : [prose(comment), block];
}

/** Tags as lists, examples as code. */
function prose(comment: string): string {
  const [text = "", ...tags] = comment.split(/^@(?=[a-z])/m);
  const items = tags.map((tag) => {
    const [, name = "", rest = ""] = /^(\w+)\s*([\s\S]*)$/.exec(tag) ?? [];
    if (name === "example") return `\`\`\`ts\n${rest.replace(/^```\w*\n|\n?```$/g, "").trim()}\n\`\`\``;
    return `- *${name}* ${rest.trim().replaceAll(/\s*\n\s*/g, " ")}`;
  });
  return [text.trim(), ...items].filter((part) => part !== "").join("\n\n");
}

type Files = ReadonlyMap<string, DeclarationFile>;

function fileOf(path: string, files: Files): DeclarationFile {
  const file = files.get(path);
  if (!file) throw new Error(`There are no declarations ${path}.`);
  return file;
}

/** Of another file of the package; null for one of another package. */
function target(path: string, specifier: string): string | null {
  if (!specifier.startsWith(".")) return null;
  return posix.join(posix.dirname(path), specifier.replace(/\.js$/, ".d.ts"));
}

function exportedNames(path: string, files: Files): ReadonlySet<string> {
  const { exported, allOf } = fileOf(path, files);
  const names = new Set(exported.keys());
  for (const specifier of allOf) {
    const other = target(path, specifier);
    if (other === null) throw new Error(`${path} exports all of ${specifier}: list the names.`);
    for (const name of exportedNames(other, files)) if (name !== "default") names.add(name);
  }
  return names;
}

/** What an exported name stands for; overloads are several. Empty for a name of another package. */
function declarationsOf(name: string, path: string, files: Files): readonly Found[] {
  const { exported, allOf } = fileOf(path, files);
  const known = exported.get(name);
  if (typeof known === "string") return localDeclarations(known, path, files);
  if (known) return follow(known, path, files);
  for (const specifier of allOf) {
    const other = target(path, specifier);
    if (other !== null && exportedNames(other, files).has(name)) return declarationsOf(name, other, files);
  }
  throw new Error(`${path} exports ${name}, which is nowhere declared.`);
}

function localDeclarations(name: string, path: string, files: Files): readonly Found[] {
  const file = fileOf(path, files);
  const own = file.declared.filter(({ names }) => names.includes(name));
  if (own.length > 0) return own.map((declared) => ({ path, declared }));
  const reference = file.imported.get(name);
  if (!reference) throw new Error(`${path} exports ${name}, which is nowhere declared.`);
  return follow(reference, path, files);
}

function follow(
  { specifier, name }: { readonly specifier: string; readonly name: string },
  path: string,
  files: Files,
): readonly Found[] {
  const other = target(path, specifier);
  return other === null || name === "*" ? [] : declarationsOf(name, other, files);
}

/** Everything that declarations need besides themselves, each once, by name. */
function mentionedBy(roots: readonly Found[], files: Files): readonly Found[] {
  const seen = new Set(roots.map(({ declared }) => declared));
  const all = [...roots];
  for (const { path, declared } of all) {
    for (const name of declared.mentioned) {
      for (const found of mention(name, path, files)) {
        if (seen.has(found.declared)) continue;
        seen.add(found.declared);
        all.push(found);
      }
    }
  }
  const rest = all.slice(roots.length);
  return rest.sort((one, other) =>
    (one.declared.names[0] ?? "") < (other.declared.names[0] ?? "") ? -1 : 1,
  );
}

function mention(name: string, path: string, files: Files): readonly Found[] {
  const { declared, imported } = fileOf(path, files);
  const own = declared.filter(({ names }) => names.includes(name));
  if (own.length > 0) return own.map((each) => ({ path, declared: each }));
  const reference = imported.get(name);
  return reference ? follow(reference, path, files) : [];
}
