/** The work that a record takes: the entries of its lists, plus 1. */
import type { TraceRecord } from "./format.ts";
import { vectorsOf } from "./vectors.ts";

export function workOfRecord(record: TraceRecord): number {
  switch (record.type) {
    case "prefilled":
    case "added":
      return 1 + record.tokens.length;
    case "forwardPass":
      return 1 + (record.before?.top.length ?? 0) + (record.likeliest?.tokens.length ?? 0);
    case "scored":
      return record.distributions.reduce((sum, { top }) => sum + 1 + top.length, 1);
    case "backtracked":
      return 1 + record.removed.length;
    case "finished":
      return 1 + record.toolCalls.length;
    case "modCall": {
      const { action, console, given } = record;
      const calls = action.type === "toolCalls" ? action.calls : [];
      const list = "tokens" in action ? action.tokens : calls;
      const numbers = vectorsOf(action).reduce((sum, vector) => sum + 1 + (vector.numbers?.length ?? 0), 0);
      return 1 + list.length + numbers + console.length + (given?.tokens.length ?? 0);
    }
    default:
      return 1;
  }
}
