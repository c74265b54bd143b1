/** A mod's TypeScript → JavaScript for the guest, on the host's side. Types are taken off, not checked: the editor does that. */
import { transform } from "sucrase";
import { conversationReaders } from "../sdk/conversation.ts";
import { type CompileProblem, findProblems, mentions } from "./module-rules.ts";
import { opening } from "./module-wrapper.ts";
import type { SourceReads } from "./protocol.ts";
import { positionAt, readTokens } from "./source-tokens.ts";

export { defineName } from "./module-wrapper.ts";
export type { CompileProblem };

/** What the engine's side has to know of a compiled mod; its code goes to the guest alone. */
export interface ModAbout {
  /** Name of the file in stack traces. */
  readonly label: string;
  readonly reads: SourceReads;
  /** Mappings of a source map, version 3, from `code` to the source. */
  readonly mappings: string;
}

export interface CompiledMod {
  readonly ok: true;
  /** A classic script that hands the module to the guest. Lines are those of the source. */
  readonly code: string;
  readonly about: ModAbout;
}

export type CompileResult =
  | CompiledMod
  | { readonly ok: false; readonly problems: readonly CompileProblem[] };

/** Never throws: what is wrong with the source comes back as problems, in the editor's lines and columns. */
export function compileMod(source: string, name: string): CompileResult {
  try {
    const tokens = readTokens(source);
    const problems = findProblems(source, tokens);
    if (problems.length > 0) return { ok: false, problems };
    const label = `${name.replace(/[^\w-]+/g, "-").slice(0, 60) || "mod"}.ts`;
    const { code, sourceMap } = transform(source, {
      transforms: ["typescript", "imports"],
      disableESTransforms: true,
      filePath: label,
      sourceMapOptions: { compiledFilename: label },
    });
    const reads = {
      logits: mentions(tokens, "logits"),
      topK: mentions(tokens, "topK"),
      output: mentions(tokens, "output"),
      strategies: mentions(tokens, "midtoken/strategies") || mentions(tokens, "midtoken/flow"),
      conversation: conversationReaders.some((name) => mentions(tokens, name)),
    };
    return {
      ok: true,
      code: `${opening}${code}\n});\n${magicComments(label)}`,
      about: { label, reads, mappings: sourceMap?.mappings ?? "" },
    };
  } catch (error) {
    return { ok: false, problems: [problemOf(error, source)] };
  }
}

/** The last ones of a file count, so that a source map named in the mod's text is never fetched by developer tools. */
function magicComments(label: string): string {
  return `//# sourceMappingURL=data:application/json,{}\n//# sourceURL=${label}\n`;
}

function problemOf(error: unknown, source: string): CompileProblem {
  const { message, loc, pos } = error as {
    message: string;
    loc?: { line: number; column: number };
    pos?: number;
  };
  const words = message.replace(/^Error transforming [^:]*: /, "").replace(/ \(\d+:\d+\)$/, "");
  const position = loc ?? (pos === undefined ? { line: 1, column: 1 } : positionAt(source, pos));
  return { message: words.endsWith(".") ? words : `${words}.`, line: position.line, column: position.column };
}
