/** Whether the names that a mod imports are there: said when it is compiled, where it would otherwise call `undefined`. */
import { type ExportedNames, moduleExports } from "./module-exports.ts";
import type { SourceToken } from "./source-tokens.ts";

const modules: ReadonlyMap<string, ExportedNames> = new Map(Object.entries(moduleExports));

/** A name that a module does not have. */
export interface MissingName {
  /** A sentence that says where the name is, or which one is like it. */
  readonly message: string;
  /** Where the name stands in the source, in UTF-16 units. */
  readonly start: number;
}

/** Every imported or re-exported name that its module does not have. Modules that cannot be imported are skipped. */
export function findMissingNames(tokens: readonly SourceToken[]): readonly MissingName[] {
  return tokens.flatMap((token, index) => {
    const isStatement =
      token.kind === "word" &&
      (token.text === "import" || token.text === "export") &&
      ![".", "?.", "#"].includes(tokens[index - 1]?.text ?? "");
    return isStatement ? readStatement(tokens, index).flatMap(missing) : [];
  });
}

interface NamedImport {
  readonly module: string;
  /** What the module has to export. */
  readonly name: string;
  /** What a default import is called in the mod. */
  readonly local?: string;
  readonly start: number;
}

/**
 * The names between `import` or `export`, at `index`, and `from "…"`. None for `import "…"`, for `import type …`, whose
 * names are gone when the mod runs, for `* as x`, and for an export that is no re-export.
 */
function readStatement(tokens: readonly SourceToken[], index: number): readonly NamedImport[] {
  const names: Omit<NamedImport, "module">[] = [];
  const isImport = tokens[index]?.text === "import";
  let place = index + 1;
  if (tokens[place]?.text === "type" && !["from", ","].includes(tokens[place + 1]?.text ?? "")) return [];
  const first = tokens[place];
  if (isImport && first?.kind === "word") {
    names.push({ name: "default", local: first.text, start: first.start });
    place += tokens[place + 1]?.text === "," ? 2 : 1;
  }
  if (tokens[place]?.text === "*") place += 3;
  else if (tokens[place]?.text === "{") {
    const end = tokens.findIndex(({ text }, at) => at > place && text === "}");
    if (end < 0) return [];
    for (let at = place + 1; at < end; at++) {
      const { text, start } = tokens[at] as SourceToken;
      const before = tokens[at - 1]?.text;
      // The module's name stands first: what follows `as` is the mod's own.
      if (before === "{" || before === ",") names.push({ name: unquoted(text), start });
    }
    place = end + 1;
  }
  const module = tokens[place + 1];
  if (tokens[place]?.text !== "from" || module?.kind !== "string") return [];
  return names.flatMap((named) => (named.name === "," ? [] : [{ ...named, module: unquoted(module.text) }]));
}

function unquoted(text: string): string {
  return /^["']/.test(text) ? text.slice(1, -1) : text;
}

function missing({ module, name, local = "", start }: NamedImport): readonly MissingName[] {
  const exported = modules.get(module);
  if (!exported || exported.values.includes(name) || exported.types.includes(name)) return [];
  const list = `it has ${exported.values.join(", ")}.`;
  if (name === "default") {
    const advice = exported.values.includes(local)
      ? `write import { ${local} } from ${quoted(module)}.`
      : list;
    return [{ start, message: `${quoted(module)} has no default export: ${advice}` }];
  }
  const home = [...modules].find(([, { values, types }]) => values.includes(name) || types.includes(name));
  if (home) {
    return [{ start, message: `${quoted(name)} is in ${quoted(home[0])}, not in ${quoted(module)}.` }];
  }
  const near = nearestName(name);
  const where = near === null || near.module === module ? "" : `, of ${quoted(near.module)}`;
  const advice = near === null ? list : `did you mean ${quoted(near.name)}${where}?`;
  return [{ start, message: `${quoted(module)} has no ${quoted(name)}: ${advice}` }];
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The exported name that needs the fewest changes of one character, if these are few for the name's length. */
function nearestName(name: string): { readonly name: string; readonly module: string } | null {
  const known = [...modules].flatMap(([module, { values, types }]) =>
    [...values, ...types].map((other) => ({ module, name: other, distance: editDistance(name, other) })),
  );
  const nearest = known.reduce((best, each) => (each.distance < best.distance ? each : best));
  return nearest.distance <= Math.max(1, Math.floor(name.length / 3)) ? nearest : null;
}

/** Characters to insert, remove or replace to make one name into the other; upper and lower case are the same (Levenshtein 1966). */
function editDistance(from: string, to: string): number {
  const target = to.toLowerCase();
  let previous = Array.from({ length: target.length + 1 }, (_, column) => column);
  for (const [row, character] of [...from.toLowerCase()].entries()) {
    const current = [row + 1];
    for (let column = 1; column <= target.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (target[column - 1] === character ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[target.length] ?? 0;
}
