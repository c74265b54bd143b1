/** Which lines of the mods acted in a run, and at which tokens: what the editor shows beside its lines. */
import type { TraceModel } from "./trace-model.ts";

/** For one mod: by line (from 1), the tokens shown for the line's actions, one for each action, in the order of the run. */
export type ActedLines = ReadonlyMap<number, readonly number[]>;

interface Counted {
  /** Interventions that were looked at. */
  upTo: number;
  readonly byMod: Map<number, Map<number, number[]>>;
}

/** A run only grows: what was counted of it stays. */
const counted = new WeakMap<TraceModel, Counted>();

const none: ActedLines = new Map();

/** `mod`: its place among the request's mods. A call whose line is unknown is left out. */
export function actedLines(model: TraceModel, mod: number): ActedLines {
  const { interventions, records } = model;
  const known = counted.get(model) ?? { upTo: 0, byMod: new Map() };
  counted.set(model, known);
  for (; known.upTo < interventions.length; known.upTo += 1) {
    const intervention = interventions[known.upTo];
    const call = intervention && records[intervention.callRecord];
    if (!intervention || call?.type !== "modCall") continue;
    const line = call.fault?.line ?? call.line;
    if (line === null) continue;
    const lines = known.byMod.get(intervention.mod) ?? new Map<number, number[]>();
    known.byMod.set(intervention.mod, lines);
    const tokens = lines.get(line) ?? [];
    lines.set(line, tokens);
    tokens.push(intervention.tokenIndex);
  }
  return known.byMod.get(mod) ?? none;
}

/** The next of these tokens after the cursor, the first one after the last; null if there is none that came. */
export function nextActed(
  tokens: readonly number[],
  cursor: number | null,
  tokenCount: number,
): number | null {
  const came = tokens.filter((token) => token < tokenCount);
  return came.find((token) => cursor === null || token > cursor) ?? came[0] ?? null;
}
