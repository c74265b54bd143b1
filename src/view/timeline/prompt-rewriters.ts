/** Finds the mods that changed the prompt before the model read it. In a file of its own, because `summary-labels.ts` loads later. */
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { modName } from "../../core/trace/model/trace-view.ts";

/** The names of the mods that rewrote the prompt, or "a mod" if the record does not name them; empty if none did. */
export function promptRewriters(trace: TraceModel): readonly string[] {
  if ((trace.prefilled?.originalLength ?? null) === null) return [];
  const mods = new Set<number>();
  for (const { kind, mod, tokenIndex } of trace.interventions) {
    if (tokenIndex > 0) break;
    if (kind === "adjustPrefill") mods.add(mod);
  }
  return mods.size > 0 ? [...mods].map((mod) => modName(trace, mod)) : ["a mod"];
}
