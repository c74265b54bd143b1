/** Inserts a vector into the source of a mod: the import, a constant with the vector, and the lines that steer by it. */

export interface InsertedVector {
  readonly source: string;
  /** The constant's name. */
  readonly constant: string;
  /** Line of the constant, counted from 1. */
  readonly line: number;
  /** True if the source already had the constant with this vector. */
  readonly wasThere: boolean;
  /** True if the mod now steers by the vector. False if the author must add that: a comment at the constant says how. */
  readonly steers: boolean;
}

/** @param text the vector as text, from `steeringVectorText`. */
export function insertVector(source: string, name: string, text: string, scale: number): InsertedVector {
  const literal = JSON.stringify(text);
  const found = constants(source).find(({ value }) => value === literal);
  if (found) {
    const steers = source.split("\n").some((line) => isSteering(line, found.constant));
    return { source, constant: found.constant, line: lineOf(source, found.at), wasThere: true, steers };
  }
  const constant = freeName(constantName(name), source);
  const imported = withImport(source);
  const at = endOfImports(imported);
  const steering = withSteering(imported, constant, scale);
  const how = `// To steer with this vector, add layers: [${constant}.layer] to the mod, and return actions.steer({ ...${constant}, scale: ${scale} }) from prefilled.\n`;
  const declaration = `const ${constant} = steeringVector(${literal});\n${steering === null ? how : ""}`;
  const steered = steering ?? imported;
  const before = steered.slice(0, at);
  const rest = steered.slice(at);
  const after = rest.trim() === "" ? "" : rest;
  const gap = before === "" || before.endsWith("\n\n") ? "" : "\n";
  const changed = `${before}${gap}${declaration}${after.startsWith("\n") || after === "" ? "" : "\n"}${after}`;
  return {
    source: changed,
    constant,
    line: lineOf(changed, at + gap.length),
    wasThere: false,
    steers: steering !== null,
  };
}

const isSteering = (line: string, constant: string) =>
  line.includes(`...${constant},`) && !line.trimStart().startsWith("//");

/** Adds the lines that steer to the start of the mod; null if the mod already has layers or handles `prefilled`. */
function withSteering(source: string, constant: string, scale: number): string | null {
  const mod = /^export default mod\(\{[^\S\n]*(\n?)/m.exec(source);
  if (!mod || /(?<![\p{ID_Continue}$])(?:layers|prefilled)(?![\p{ID_Continue}$])/u.test(source)) return null;
  const lines = [
    `  layers: [${constant}.layer],`,
    "  prefilled(event, actions) {",
    `    return actions.steer({ ...${constant}, scale: ${scale} });`,
    "  },",
  ];
  const start = mod.index + mod[0].length;
  return `${source.slice(0, start)}${mod[1] === "" ? "\n" : ""}${lines.join("\n")}\n${source.slice(start)}`;
}

/** A whole mod that steers by the vector. */
export function steeringModSource(name: string, text: string, scale: number): string {
  const constant = constantName(name);
  return `import { mod, steeringVector } from "midtoken/mod";

const ${constant} = steeringVector(${JSON.stringify(text)});

// Above 0 toward the vector's texts, below 0 away from them.
const scale = ${scale};

export default mod({
  layers: [${constant}.layer],
  prefilled(event, actions) {
    return actions.steer({ ...${constant}, scale });
  },
});
`;
}

/** Turns a name into the name of a constant: `très gai!` becomes `trèsGai`. */
export function constantName(name: string): string {
  const words = name.match(/[\p{ID_Continue}$]+/gu) ?? [];
  const joined = words
    .map((word, place) => (place === 0 ? lowerFirst(word) : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("");
  if (joined === "") return "direction";
  if (!/^[\p{ID_Start}$_]/u.test(joined)) return `vector${joined}`;
  return reserved.has(joined) ? `${joined}Vector` : joined;
}

const lowerFirst = (word: string) =>
  /^\p{Lu}\p{Lu}/u.test(word) ? word : word.charAt(0).toLowerCase() + word.slice(1);

/** Reserved words of JavaScript, and the names that mods already use. */
const reserved = new Set(
  "await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield actions event mod scale steeringVector tokenizer".split(
    " ",
  ),
);

function freeName(name: string, source: string): string {
  const isTaken = (candidate: string) =>
    new RegExp(
      `(?<![\\p{ID_Continue}$.])${candidate.replaceAll("$", "\\$")}(?![\\p{ID_Continue}$])`,
      "u",
    ).test(source);
  if (!isTaken(name)) return name;
  let number = 2;
  while (isTaken(`${name}${number}`)) number += 1;
  return `${name}${number}`;
}

function constants(source: string) {
  const pattern = /^const ([\p{ID_Continue}$]+) = steeringVector\(\s*("(?:[^"\\\n]|\\.)*"),?\s*\)/gmu;
  return [...source.matchAll(pattern)].map(({ 1: constant = "", 2: value = "", index }) => ({
    constant,
    value,
    at: index,
  }));
}

/** An import at the start of a line, however many lines it has. */
const importPattern = /^import\s(?:[^;"']*?\sfrom\s*)?["'][^"'\n]*["'];?[^\S\n]*\n?/gm;

/** Adds `steeringVector` to the source's import from `midtoken/mod`. */
function withImport(source: string): string {
  const named = /^(import\s*\{)([^}]*)(\}\s*from\s*["']midtoken\/mod["'])/m.exec(source);
  if (!named)
    return `import { steeringVector } from "midtoken/mod";\n${source.startsWith("import") ? "" : "\n"}${source}`;
  const names = (named[2] ?? "").split(",").map((each) => each.trim());
  if (names.includes("steeringVector")) return source;
  const list = named[2] ?? "";
  // The existing entries keep their lines.
  const trimmed = list.trimEnd().replace(/,$/, "");
  const space = list.slice(list.trimEnd().length);
  const comma = trimmed.trim() === "" ? "" : ",";
  const separator = trimmed.includes("\n") ? `${comma}\n  ` : `${comma} `;
  const end = trimmed.includes("\n") ? `,${space}` : space || " ";
  const at = named.index;
  return `${source.slice(0, at)}${named[1]}${trimmed}${separator}steeringVector${end}${named[3]}${source.slice(at + named[0].length)}`;
}

/** Where the last import ends. */
function endOfImports(source: string): number {
  let end = 0;
  for (const { index, 0: found } of source.matchAll(importPattern)) end = index + found.length;
  return end;
}

const lineOf = (source: string, at: number) => source.slice(0, at).split("\n").length;
