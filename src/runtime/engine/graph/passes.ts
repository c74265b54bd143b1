/** Splits a list of tokens into passes, and joins the results. */
import type { GraphPass } from "./graph-runner.ts";

export interface TokenSpan extends Pick<GraphPass, "tokens" | "past"> {
  /** How many of the last tokens need logits. */
  readonly rows: number;
}

/**
 * Splits the tokens into passes of at most `passTokens`. Only the last passes compute logits, for the last `rows` tokens.
 */
export function splitIntoPasses({ tokens, past, rows }: TokenSpan, passTokens: number): GraphPass[] {
  const count = tokens.length;
  const passes: GraphPass[] = [];
  for (let start = 0; start < count; start += passTokens) {
    const end = Math.min(count, start + passTokens);
    const wanted = Math.max(0, Math.min(end - start, end - (count - rows)));
    passes.push({ tokens, start, end, past: past + start, rows: wanted });
  }
  return passes;
}

/**
 * Joins the logits of several passes. A graph that computes only the last row returned one row for each pass; only that of
 * the last pass was requested. `length`: number of logits in all requested rows.
 */
export function joinLogits(parts: readonly Float32Array[], length: number): Float32Array {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  if (total < length || parts.length === 1) return parts.at(-1) ?? new Float32Array(0);
  const joined = new Float32Array(total);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
