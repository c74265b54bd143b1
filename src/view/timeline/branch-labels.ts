/** Says whether the changed mods of a run would have replied the same way in the run that it branches off. Pure. */

import { isParentMod } from "../../core/trace/format/request-mods.ts";
import { tokenAtRecord } from "../../core/trace/model/token-at.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { modName, quote } from "../../core/trace/model/trace-view.ts";
import { showInvisibleCharacters } from "../../core/trace/text/visible-text.ts";
import { formatCount } from "../ui/format.ts";

export interface ChangedModsLabels {
  readonly sentence: string;
  /** The reply of this run and the recorded reply, or the recorded reply of a mod that is gone; empty if no reply differs. */
  readonly detail: string;
  /** The token to go to; null if there is no difference, or if it is at no token. */
  readonly index: number | null;
}

/** Null for a run that copied no records from a run with other mods. */
export function changedModsLabels(trace: TraceModel): ChangedModsLabels | null {
  const { caughtUp = 0, index = 0, difference = null } = trace.request?.branch ?? {};
  if (caughtUp <= 1) return null;
  if (difference === null) {
    const upTo = index === 0 ? "the prompt" : `token ${formatCount(index)}`;
    return {
      sentence: `Up to ${upTo}, these mods would have acted the same way.`,
      detail: "",
      index: null,
    };
  }
  const { mod, now, recorded, record } = difference;
  const event = trace.records[record]?.type ?? "the event";
  const at = tokenAtRecord(trace.records, record);
  const where = at === null ? "" : ` at token ${formatCount(at + 1)}`;
  const name = quote(modName(trace, mod));
  const isGone = isParentMod(trace.request, mod);
  return {
    sentence: isGone
      ? `In the recorded run, ${name} acted${where}, but this mod is not part of the new run.`
      : `The mod ${name} would have acted differently${where}.`,
    detail: isGone
      ? `At “${event}”, the mod ${showInvisibleCharacters(recorded)}.`
      : `At “${event}”, the mod ${showInvisibleCharacters(now)}; in the recorded run, it ${showInvisibleCharacters(recorded)}.`,
    index: at,
  };
}
