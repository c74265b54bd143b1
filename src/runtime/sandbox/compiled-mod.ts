/**
 * The result of compiling: a mod ready for its sandbox, or the faults of its source. Separate from the compiler,
 * which is large.
 */
import { moduleOpening } from "./module-wrapper.ts";
import type { SourceReads } from "./protocol.ts";

/** The longest source of a mod, in UTF-16 units. */
export const largestSource = 1_000_000;

/** Something wrong with a mod's source. */
export interface CompileProblem {
  readonly message: string;
  /** Line in the editor's text, 1-based; null if the problem is the source as a whole. */
  readonly line: number | null;
  readonly column: number | null;
}

export interface CompileRefusal {
  readonly ok: false;
  /** At least one. */
  readonly problems: readonly CompileProblem[];
  readonly exports: ModExportNames;
}

/** The names under which a file may export mods, see exported-names.ts; none if it does not parse. */
export type ModExportNames = readonly string[];

/** A compiled source, without the mod's name. */
export interface CompiledSource {
  readonly ok: true;
  /** The compiled code. Its lines have the same numbers as the source's. */
  readonly code: string;
  readonly reads: SourceReads;
  /** Whether the source names an action that removes emitted text. Even if it does not, a mod can build the name at run time. */
  readonly removesText: boolean;
  /** Mappings of a source map, version 3, from `code` to the source. */
  readonly mappings: string;
  readonly exports: ModExportNames;
}

export type CompileSourceResult = CompiledSource | CompileRefusal;

/** The part of a compiled mod that the engine's side needs. Only the guest gets the code. */
export interface CompiledModInfo {
  /** Name of the file in stack traces. */
  readonly label: string;
  readonly reads: SourceReads;
  /** As in `CompiledSource`. */
  readonly mappings: string;
}

export interface CompiledMod {
  readonly ok: true;
  /** A classic script that passes the module to the guest. Its lines have the same numbers as the source's. */
  readonly code: string;
  readonly about: CompiledModInfo;
}

export type CompileResult = CompiledMod | CompileRefusal;

/** Wraps a compiled source as the script that the guest loads. The file's name in stack traces is made from the mod's name. */
export function nameMod({ code, reads, mappings }: CompiledSource, name: string): CompiledMod {
  const label = `${name.replace(/[^\w-]+/g, "-").slice(0, 60) || "mod"}.ts`;
  return {
    ok: true,
    code: `${moduleOpening}${code}\n});\n${magicComments(label)}`,
    about: { label, reads, mappings },
  };
}

/** Developer tools use the last such comment in a file, so with these comments at the end they fetch no source map that the mod's text names. */
function magicComments(label: string): string {
  return `//# sourceMappingURL=data:application/json,{}\n//# sourceURL=${label}\n`;
}
