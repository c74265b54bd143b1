/** Makes the references of randomly drawn records valid. */
import type { TraceAction, TraceRecord, TraceVector } from "../format/format.ts";

function withVectors(action: TraceAction, change: (vector: TraceVector) => TraceVector): TraceAction {
  if (action.type === "patch") return { ...action, vector: change(action.vector) };
  if (action.type !== "steer") return action;
  return { ...action, vectors: action.vectors.map((each) => ({ ...each, vector: change(each.vector) })) };
}

/** Gives each record references that fit the records before it. */
export function withValidReferences(records: readonly TraceRecord[]): TraceRecord[] {
  let emitted = 0;
  let outputTokens: number[] = [];
  const digests = new Set<number>();
  const once = (vector: TraceVector): TraceVector => {
    const isKnown = digests.has(vector.digest);
    digests.add(vector.digest);
    return isKnown ? { ...vector, numbers: null } : vector;
  };
  return records.flatMap((each): TraceRecord[] => {
    if (each.type === "modCall") return [{ ...each, action: withVectors(each.action, once) }];
    if (each.type === "added") {
      const index = emitted;
      for (const _ of each.tokens) outputTokens.push(emitted++);
      return [{ ...each, index }];
    }
    if (each.type === "backtracked") {
      const kept = Math.max(outputTokens.length - each.removed.length, 0);
      const removed = outputTokens.slice(kept);
      outputTokens = outputTokens.slice(0, kept);
      return [{ ...each, removed }];
    }
    if (each.type !== "scored") return [each];
    const scores = Math.min(each.logprobs.length, Math.max(emitted - each.index, 0));
    const index = Math.min(each.index, emitted);
    const cut = {
      logprobs: each.logprobs.slice(0, scores),
      distributions: each.distributions.slice(0, scores),
    };
    return [{ ...each, index, ...cut }];
  });
}
