/**
 * Compiles a mod's TypeScript to JavaScript for the guest. Types are removed but not checked; the editor checks them. The
 * parser may take very long for some sources, so the page does not call this function directly: it asks the worker of
 * compiler.ts.
 */
import { transform } from "sucrase/dist/esm/index.js";
import { requestReaderNames } from "../../core/sdk/conversation.ts";
import { mayRemoveOutput } from "../../core/sdk/taking-back.ts";
import {
  type CompileProblem,
  type CompileResult,
  type CompileSourceResult,
  nameMod,
} from "./compiled-mod.ts";
import { findModExportCandidates } from "./exported-names.ts";
import { findHtmlComments, htmlCommentAdvice } from "./html-comments.ts";
import { findModuleProblems, namesIn } from "./module-rules.ts";
import { readsProperty } from "./property-reads.ts";
import type { SourceReads } from "./protocol.ts";
import { findPythonProblem } from "./python-source.ts";
import { positionAt, type SourceToken, tokensOfLastParse } from "./source-tokens.ts";

export { defineFunctionName } from "./module-wrapper.ts";

/** Never throws: faults of the source are returned as problems, with the editor's lines and columns. */
export function compileMod(source: string, name: string): CompileResult {
  const result = compileSource(source);
  return result.ok ? nameMod(result, name) : result;
}

/** The part of `compileMod` that does not need the mod's name. */
export function compileSource(source: string): CompileSourceResult {
  try {
    const { code, sourceMap } = transform(source, {
      transforms: ["typescript", "imports"],
      disableESTransforms: true,
      filePath: "mod.ts",
      sourceMapOptions: { compiledFilename: "mod.ts" },
    });
    const tokens = tokensOfLastParse(source) ?? [];
    const mappings = sourceMap?.mappings ?? "";
    const forbidden = findModuleProblems(source, tokens);
    const problems = forbidden.length > 0 ? forbidden : findHtmlComments(code, mappings);
    const exports = findModExportCandidates(tokens);
    if (problems.length > 0) return { ok: false, problems, exports };
    return { ok: true, code, reads: readsOf(tokens), removesText: removesText(tokens), mappings, exports };
  } catch (error) {
    if (isOutOfStack(error)) return { ok: false, problems: [tooDeep], exports: [] };
    // Forbidden code may also be the reason why the transformation failed.
    const tokens = tokensOfLastParse(source) ?? [];
    const forbidden = findModuleProblems(source, tokens);
    const python = findPythonProblem(source);
    if (python) return { ok: false, problems: [python], exports: [] };
    const problems = forbidden.length > 0 ? forbidden : [problemOf(error, source)];
    return { ok: false, problems, exports: findModExportCandidates(tokens) };
  }
}

function readsOf(tokens: readonly SourceToken[]): SourceReads {
  const names = namesIn(tokens);
  return {
    logits: readsProperty(tokens, "logits"),
    topK: names.has("topK"),
    hiddenState: names.has("hiddenState"),
    // A text in `ban` depends on the end of the output.
    output: names.has("output") || names.has("ban"),
    bans: names.has("ban"),
    strategies: names.has("midtoken/strategies") || names.has("midtoken/flow"),
    conversation: requestReaderNames.some((name) => names.has(name)),
  };
}

function removesText(tokens: readonly SourceToken[]): boolean {
  const names = namesIn(tokens);
  return mayRemoveOutput(names, names.has("midtoken/flow"));
}

/** Firefox throws an InternalError if the stack is exhausted. */
function isOutOfStack(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === "InternalError");
}

const tooDeep: CompileProblem = {
  message:
    "The mod nests brackets or operators too deeply: split the code into several statements or functions.",
  line: null,
  column: null,
};

function problemOf(error: unknown, source: string): CompileProblem {
  const { message, loc, pos = 0 } = error as Partial<SyntaxFault> & Error;
  const words = message.replace(/^Error transforming [^:]*: /, "").replace(/ \(\d+:\d+\)$/, "");
  const { line, column } = loc ?? positionAt(source, pos);
  return {
    message: htmlCommentAdvice(source, pos) ?? (words.endsWith(".") ? words : `${words}.`),
    line,
    column,
  };
}

/** The fields that the parser adds to its errors. */
interface SyntaxFault {
  readonly loc: { readonly line: number; readonly column: number };
  readonly pos: number;
}
