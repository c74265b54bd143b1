/**
 * Recognises Python in the text of a mod. Users of Quote paste its Python mods, and the parser would only say `Unexpected
 * token, expected ";"`.
 */
import type { CompileProblem } from "./compiled-mod.ts";

/** Lines that occur in Python but never in TypeScript: `def f(event):`, `from sdk import mod`, `elif x:`. */
const pythonLines = [/^\s*(?:async\s+)?def\s+\w+\s*\(/, /^\s*from\s+[\w.]+\s+import\s+[\w*(]/, /^\s*elif\s/];

/** The problem to show for a source that did not parse; null if no line of it is Python. */
export function findPythonProblem(source: string): CompileProblem | null {
  const lines = source.split("\n");
  const index = lines.findIndex((line) => pythonLines.some((pattern) => pattern.test(line)));
  if (index < 0) return null;
  const shown = (lines[index] as string).trim().slice(0, 60);
  return {
    message: `This is Python (${JSON.stringify(shown)}), but mods are written in TypeScript. docs/from-quote.md shows the TypeScript for each Python call.`,
    line: index + 1,
    column: 1,
  };
}
