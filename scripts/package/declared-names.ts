/** Reads the names that a declaration file declares, imports and exports. */
import { parseSync } from "rolldown/experimental";

/** One statement that declares names, with the comment before it. */
export interface DeclaredStatement {
  readonly names: readonly string[];
  /** The statement without `export` and `declare`. */
  readonly code: string;
  /** The text of its comment, without stars. */
  readonly comment: string;
  /** Every name in the statement, including the declared names. */
  readonly mentioned: ReadonlySet<string>;
}

/** A name in another file; "*" stands for all names. */
export interface ImportedName {
  readonly specifier: string;
  readonly name: string;
}

export interface DeclarationFile {
  readonly declared: readonly DeclaredStatement[];
  /** Local name → where it comes from. */
  readonly imported: ReadonlyMap<string, ImportedName>;
  /** Exported name → local name, or its place in another file. */
  readonly exported: ReadonlyMap<string, string | ImportedName>;
  /** Specifiers of `export * from`. */
  readonly allOf: readonly string[];
}

/** A node of the syntax tree, with the fields that are read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Specifier extends Node {
  readonly local: { readonly name?: string; readonly value?: string };
  readonly exported?: { readonly name?: string; readonly value?: string };
  readonly imported?: { readonly name?: string; readonly value?: string };
}

const nameOf = (node: { readonly name?: string; readonly value?: string }): string =>
  node.name ?? node.value ?? "";

/** The name in the other file: `*` for all of its names. */
function importedName(each: Specifier): string {
  if (each.type === "ImportNamespaceSpecifier") return "*";
  return each.type === "ImportDefaultSpecifier" ? "default" : nameOf(each.imported ?? each.local);
}

/** @throws Error if the text is not a declaration file */
export function readDeclarationFile(path: string, text: string): DeclarationFile {
  const { program, comments, errors } = parseSync(path, text, { lang: "dts" });
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const declared: DeclaredStatement[] = [];
  const imported = new Map<string, ImportedName>();
  const exported = new Map<string, string | ImportedName>();
  const allOf: string[] = [];
  for (const statement of program.body as unknown as readonly Node[]) {
    const specifier = (statement.source as { value?: string } | null)?.value ?? "";
    const specifiers = (statement.specifiers ?? []) as readonly Specifier[];
    if (statement.type === "ImportDeclaration") {
      for (const each of specifiers) {
        imported.set(nameOf(each.local), { specifier, name: importedName(each) });
      }
    } else if (statement.type === "ExportAllDeclaration") {
      allOf.push(specifier);
    } else if (specifiers.length > 0) {
      for (const each of specifiers) {
        const local = nameOf(each.local);
        exported.set(nameOf(each.exported ?? each.local), specifier ? { specifier, name: local } : local);
      }
    } else {
      const inner = (statement.declaration ?? statement) as Node;
      if (inner.type === "ExportNamedDeclaration") continue;
      const names = declaredNames(inner);
      const before = comments.filter(
        ({ end }) => end <= statement.start && /^\s*$/.test(text.slice(end, statement.start)),
      );
      const code = text.slice(statement.start, statement.end).replace(/^(export )?(declare )?/, "");
      declared.push({
        names,
        code,
        comment: plainComment(before.at(-1)?.value ?? ""),
        mentioned: namesIn(inner),
      });
      if (statement.type === "ExportNamedDeclaration") for (const name of names) exported.set(name, name);
      if (statement.type === "ExportDefaultDeclaration") exported.set("default", names[0] ?? "default");
    }
  }
  return { declared, imported, exported, allOf };
}

function declaredNames(node: Node): readonly string[] {
  if (node.type === "VariableDeclaration") {
    return (node.declarations as readonly { readonly id: { readonly name: string } }[]).map(
      ({ id }) => id.name,
    );
  }
  const id = node.id as { readonly name?: string } | null | undefined;
  return id?.name ? [id.name] : [];
}

/** Names of all identifiers except names of members, but including `b` in `a.b`: an extra name only makes a report longer. */
function namesIn(node: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (Array.isArray(node)) for (const each of node) namesIn(each, found);
  else if (typeof node === "object" && node !== null) {
    const { type, name } = node as { type?: unknown; name?: unknown };
    if (type === "Identifier" && typeof name === "string") found.add(name);
    for (const [key, value] of Object.entries(node)) {
      // The name of a member does not refer to a declaration with the same name.
      if (key === "key" && (node as { computed?: boolean }).computed !== true) continue;
      namesIn(value, found);
    }
  }
  return found;
}

function plainComment(value: string): string {
  return value
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .trim();
}
