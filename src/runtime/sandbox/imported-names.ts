/** Checks at compile time that each imported name exists; otherwise the mod would call `undefined` when it runs. */
import { describeValue } from "../../core/base/show.ts";
import { type ModuleExportNames, moduleExports } from "./module-exports.ts";
import type { SourceProblem, SourceToken } from "./source-tokens.ts";

const modules: ReadonlyMap<string, ModuleExportNames> = new Map(Object.entries(moduleExports));

/** Every imported or re-exported name that does not exist in its module. Modules that cannot be imported are skipped. */
export function findMissingNames(tokens: readonly SourceToken[]): readonly SourceProblem[] {
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
  /** The name that the module must export. */
  readonly name: string;
  /** The mod's own name for the default import. */
  readonly local?: string;
  readonly start: number;
}

/**
 * The names between `import` or `export`, at `index`, and `from "…"`. None for `import "…"`, for `import type …` (whose
 * names do not exist at run time), for `* as x`, and for an export without `from`.
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
    for (place += 1; tokens[place]?.text !== "}"; place++) {
      const token = tokens[place];
      if (!token) return [];
      const before = tokens[place - 1]?.text;
      // The name in the module is first; the name after `as` is the mod's own.
      if (before === "{" || before === ",") names.push({ name: unquoted(token.text), start: token.start });
    }
    place += 1;
  }
  const module = tokens[place + 1];
  if (tokens[place]?.text !== "from" || module?.kind !== "string") return [];
  return names.flatMap((named) => (named.name === "," ? [] : [{ ...named, module: unquoted(module.text) }]));
}

function unquoted(text: string): string {
  return /^["']/.test(text) ? text.slice(1, -1) : text;
}

function missing(named: NamedImport): readonly SourceProblem[] {
  const exported = modules.get(named.module);
  if (!exported || exported.values.includes(named.name) || exported.types.includes(named.name)) return [];
  return [{ start: named.start, message: () => whereItIs(named, exported) }];
}

/** A sentence that says which module exports the name, or which name is similar. */
function whereItIs({ module, name, local = "" }: NamedImport, { values }: ModuleExportNames): string {
  const list = `it exports ${values.join(", ")}.`;
  if (name === "default") {
    const advice = values.includes(local) ? `write import { ${local} } from ${describeValue(module)}.` : list;
    return `${describeValue(module)} has no default export: ${advice}`;
  }
  const home = [...modules].find(([, each]) => each.values.includes(name) || each.types.includes(name));
  if (home) return `${describeValue(name)} is in ${describeValue(home[0])}, not in ${describeValue(module)}.`;
  const near = nearestName(name);
  const where = near === null || near.module === module ? "" : ` from ${describeValue(near.module)}`;
  const advice = near === null ? list : `did you mean ${describeValue(near.name)}${where}?`;
  return `${describeValue(module)} does not export ${describeValue(name)}: ${advice}`;
}

/** The exported name that needs the fewest changes of one character, if these are few for the name's length. */
function nearestName(name: string): { readonly name: string; readonly module: string } | null {
  const most = Math.max(1, Math.floor(name.length / 3));
  const known = [...modules].flatMap(([module, { values, types }]) =>
    [...values, ...types]
      // The difference of the lengths is a lower bound of the distance. This check avoids comparing a long name with short
      // names.
      .filter((other) => Math.abs(other.length - name.length) <= most)
      .map((other) => ({ module, name: other, distance: editDistance(name, other) }))
      .filter(({ distance }) => distance <= most),
  );
  return known.sort((a, b) => a.distance - b.distance)[0] ?? null;
}

/** The number of characters to insert, remove or replace to turn one name into the other, ignoring case (Levenshtein 1966). */
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
