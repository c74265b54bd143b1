/**
 * The API reference in Markdown, one report for each entry of the package: every exported name with its docstring and declaration, then the
 * types that these declarations mention. A declaration is reported once, with the first entry that exports it, or, if no entry exports it,
 * with the first entry that mentions it. Other entries link to that place. `docs/api` holds the reports, and a test compares them.
 */
import { posix } from "node:path";
import type { Declarations } from "./declarations.ts";
import { type DeclarationFile, type DeclaredStatement, readDeclarationFile } from "./declared-names.ts";

interface Found {
  readonly path: string;
  readonly declared: DeclaredStatement;
}

/** An entry to report. */
export interface ReportedEntry {
  /** Title of the report: the name by which users import the entry. */
  readonly title: string;
  /** File name of the report, such as `trace.md`. */
  readonly file: string;
  /** Path of the entry's declarations. */
  readonly path: string;
}

/** A heading with the declarations below it. */
interface Section {
  readonly heading: string;
  readonly declared: readonly DeclaredStatement[];
}

/** A declaration that another report shows. */
interface Link {
  readonly name: string;
  readonly declared: DeclaredStatement;
}

interface Report {
  readonly entry: ReportedEntry;
  readonly exported: readonly Section[];
  readonly exportedLinks: readonly Link[];
  readonly mentioned: readonly Section[];
  readonly mentionedLinks: readonly Link[];
}

/** The report and the heading at which a declaration is shown. */
interface Place {
  readonly entry: ReportedEntry;
  readonly anchor: string;
}

const mentionedTitle = "Types that these mention";
const exportedLinksTitle = "Exported here, described with another entry";
const mentionedLinksTitle = "Mentioned here, described with another entry";

/**
 * @param entries if several entries export a name, the first of them describes it @returns file name → text @throws Error for an
 * exported name without a declaration
 */
export function apiReports(
  entries: readonly ReportedEntry[],
  declarations: Declarations,
): ReadonlyMap<string, string> {
  const files = new Map([...declarations].map(([path, text]) => [path, readDeclarationFile(path, text)]));
  const reports = planReports(entries, files);
  const places = new Map<DeclaredStatement, Place>();
  for (const report of reports) addPlaces(report, places);
  return new Map(reports.map((report) => [report.entry.file, render(report, places)]));
}

/** Decides which report shows each declaration. */
function planReports(entries: readonly ReportedEntry[], files: Files): readonly Report[] {
  const shown = new Set<DeclaredStatement>();
  const withExports = entries.map((entry) => {
    const names = [...exportedNames(entry.path, files)].sort((one, other) => (one < other ? -1 : 1));
    const found = names.map((name) => ({ name, found: declarationsOf(name, entry.path, files) }));
    const exported: Section[] = [];
    const exportedLinks: Link[] = [];
    for (const { name, found: all } of found) {
      const own = all.map(({ declared }) => declared).filter((declared) => !shown.has(declared));
      const [elsewhere] = all;
      // A name of another package has no declaration, and is shown without one.
      if (own.length > 0 || !elsewhere) exported.push({ heading: name, declared: own });
      else exportedLinks.push({ name, declared: elsewhere.declared });
      for (const declared of own) shown.add(declared);
    }
    return { entry, exported, exportedLinks, roots: found.flatMap((each) => each.found) };
  });
  return withExports.map(({ entry, exported, exportedLinks, roots }) => {
    const mentioned: Section[] = [];
    const mentionedLinks: Link[] = [];
    for (const { declared } of mentionedBy(roots, files)) {
      const heading = declared.names.join(", ");
      if (shown.has(declared)) mentionedLinks.push({ name: heading, declared });
      else mentioned.push({ heading, declared: [declared] });
      shown.add(declared);
    }
    return { entry, exported, exportedLinks, mentioned, mentionedLinks };
  });
}

/** Anchors as GitHub makes them: a repeated heading gets a number; upper and lower case count as the same. */
function addPlaces({ entry, exported, mentioned }: Report, places: Map<DeclaredStatement, Place>): void {
  const times = new Map<string, number>();
  const anchorOf = (heading: string): string => {
    const plain = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    const before = times.get(plain) ?? 0;
    times.set(plain, before + 1);
    return before === 0 ? plain : `${plain}-${before}`;
  };
  anchorOf(entry.title);
  const add = ({ heading, declared }: Section): void => {
    const anchor = anchorOf(heading);
    for (const each of declared) if (!places.has(each)) places.set(each, { entry, anchor });
  };
  exported.forEach(add);
  anchorOf(mentionedTitle);
  mentioned.forEach(add);
}

function render(report: Report, places: ReadonlyMap<DeclaredStatement, Place>): string {
  const { entry, exported, exportedLinks, mentioned, mentionedLinks } = report;
  return [
    `# ${entry.title}`,
    "Made from the sources by `npm run package -- --report`; a test compares it with them.",
    ...exported.map(renderSection),
    ...(mentioned.length > 0 ? [`# ${mentionedTitle}`, ...mentioned.map(renderSection)] : []),
    ...renderLinks(exportedLinksTitle, exportedLinks, places),
    ...renderLinks(mentionedLinksTitle, mentionedLinks, places),
    "",
  ].join("\n\n");
}

function renderSection({ heading, declared }: Section): string {
  return [`## ${heading}`, ...declared.flatMap(describe)].join("\n\n");
}

/** One line for each report that the declarations link to. */
function renderLinks(
  title: string,
  links: readonly Link[],
  places: ReadonlyMap<DeclaredStatement, Place>,
): readonly string[] {
  const lines = new Map<ReportedEntry, string[]>();
  for (const { name, declared } of links) {
    const place = places.get(declared);
    if (!place) throw new Error(`No report shows ${name}.`);
    const line = lines.get(place.entry) ?? [];
    line.push(`[${name}](${place.entry.file}#${place.anchor})`);
    lines.set(place.entry, line);
  }
  if (lines.size === 0) return [];
  const items = [...lines].map(([{ title: from }, line]) => `- \`${from}\`: ${line.join(", ")}`);
  return [`# ${title}`, items.join("\n")];
}

function describe({ comment, code }: DeclaredStatement): readonly string[] {
  const block = `\`\`\`ts\n${code}\n\`\`\``;
  return [comment === "" ? block : `${prose(comment)}\n${block}`];
}

/** Formats tags as lists and examples as code. */
function prose(comment: string): string {
  const [text = "", ...tags] = comment.split(/^@(?=[a-z])/m);
  const items = tags.map((tag) => {
    const [, name = "", rest = ""] = /^(\w+)\s*([\s\S]*)$/.exec(tag) ?? [];
    if (name === "example") return `\`\`\`ts\n${rest.replace(/^```\w*\n|\n?```$/g, "").trim()}\n\`\`\``;
    return `- *${name}* ${rest.trim().replaceAll(/\s*\n\s*/g, " ")}`;
  });
  return [oneLinePerParagraph(text), ...items].filter((part) => part !== "").join("\n\n");
}

/** Removes the line breaks that wrap a comment in the source. Items of a list keep lines of their own, and code stays as it is. */
function oneLinePerParagraph(text: string): string {
  const paragraphs = text.trim().split(/\n\s*\n/);
  const withoutBreaks = paragraphs.map((paragraph) =>
    paragraph.includes("```") ? paragraph : paragraph.replaceAll(/\s*\n(?!\s*[-*] )\s*/g, " "),
  );
  return withoutBreaks.join("\n\n");
}

type Files = ReadonlyMap<string, DeclarationFile>;

function fileOf(path: string, files: Files): DeclarationFile {
  const file = files.get(path);
  if (!file) throw new Error(`There are no declarations ${path}.`);
  return file;
}

/** The file that a specifier leads to; null if it names another package. */
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

/** The declarations of an exported name; several for overloads, none for a name of another package. */
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

/** All declarations that these declarations need besides themselves, each once, sorted by name. */
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
