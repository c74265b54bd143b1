/**
 * The result of compiling: a mod ready for its sandbox, or the faults of its source. Separate from the compiler,
 * which is large.
 */
import { opening } from "./module-wrapper.ts";
import type { SourceReads } from "./protocol.ts";

/** The longest source of a mod, in UTF-16 units. */
export const largestSource = 1_000_000;

/** Something wrong with a mod's source. */
export interface CompileProblem {
  readonly message: string;
  /** In the editor's text, 1-based; null if it is the source as a whole. */
  readonly line: number | null;
  readonly column: number | null;
}

export interface Refusal {
  readonly ok: false;
  /** At least one. */
  readonly problems: readonly CompileProblem[];
  readonly exports: ExportedNames;
}

/** The names under which a file may export mods, see exported-names.ts; none if it does not parse. */
export type ExportedNames = readonly string[];

/** A compiled source, without the mod's name. */
export interface CompiledSource {
  readonly ok: true;
  /** Lines are those of the source. */
  readonly code: string;
  readonly reads: SourceReads;
  /** Whether the source names an action that removes emitted text. Without that name, a mod can still build the name at run time. */
  readonly takesBack: boolean;
  /** Mappings of a source map, version 3, from `code` to the source. */
  readonly mappings: string;
  readonly exports: ExportedNames;
}

export type SourceResult = CompiledSource | Refusal;

/** The part of a compiled mod that the engine's side needs. The code goes to the guest alone. */
export interface ModAbout {
  /** Name of the file in stack traces. */
  readonly label: string;
  readonly reads: SourceReads;
  /** As those of `CompiledSource`. */
  readonly mappings: string;
}

export interface CompiledMod {
  readonly ok: true;
  /** A classic script that hands the module to the guest. Lines are those of the source. */
  readonly code: string;
  readonly about: ModAbout;
}

export type CompileResult = CompiledMod | Refusal;

export function nameMod({ code, reads, mappings }: CompiledSource, name: string): CompiledMod {
  const label = `${name.replace(/[^\w-]+/g, "-").slice(0, 60) || "mod"}.ts`;
  return {
    ok: true,
    code: `${opening}${code}\n});\n${magicComments(label)}`,
    about: { label, reads, mappings },
  };
}

/** The last comments of a file count: with these at the end, developer tools fetch no source map that the mod's text names. */
function magicComments(label: string): string {
  return `//# sourceMappingURL=data:application/json,{}\n//# sourceURL=${label}\n`;
}
