/** Finds the actions of a mod's lines in a run. The mod in the editor may be another version than the mod that ran. */

import { findOwnModPlace, ownMods } from "../../../core/trace/format/request-mods.ts";
import { type ActionTokensByLine, actionTokensByLine } from "../../../core/trace/model/acted-lines.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { followLines } from "./followed-lines.ts";

export interface ActedLinesOfMod {
  /** The key is the line in the present version of the mod. */
  readonly lines: ActionTokensByLine;
  /** The mod was edited during or after the run: each acting line is mapped to the line that replaced it. */
  readonly isEarlier: boolean;
}

const none: ActedLinesOfMod = { lines: new Map(), isEarlier: false };

/** `modIds`: the user's mods that ran, in their order. A mod that is not among them is found by its source. */
export function actedLinesOfMod(
  trace: TraceModel,
  modIds: readonly string[],
  open: { readonly id: string; readonly source: string },
): ActedLinesOfMod {
  const { request } = trace;
  if (request === null) return none;
  const own = ownMods(request);
  const byId = modIds.indexOf(open.id);
  const place = byId >= 0 ? byId : own.findIndex(({ source }) => source === open.source);
  if (place < 0) return none;
  const lines = new Map<number, readonly number[]>();
  let isEarlier = false;
  for (const [mod, { source }] of request.mods.entries()) {
    // The version before the branch acted too.
    if (mod !== place && (mod < own.length || findOwnModPlace(request, mod) !== place)) continue;
    const acted = actionTokensByLine(trace, mod);
    if (acted.size === 0) continue;
    const isSame = source === open.source;
    const followed = isSame ? null : followLines(source, open.source);
    for (const [line, tokens] of acted) {
      const now = followed === null ? line : followed.get(line);
      if (now === undefined) continue;
      isEarlier ||= !isSame;
      lines.set(
        now,
        [...(lines.get(now) ?? []), ...tokens].sort((one, other) => one - other),
      );
    }
  }
  return { lines, isEarlier };
}
