/** The source lines of mods that acted in a run, and the tokens at which they acted. The editor shows these beside its lines. */
import type { TraceModel } from "./trace-model.ts";

/** For one mod, by line number (from 1): the token at which each action of the line took effect, in the order of the run. */
export type ActionTokensByLine = ReadonlyMap<number, readonly number[]>;

interface Counted {
  /** Number of the run's interventions that were counted so far. */
  upTo: number;
  readonly byMod: Map<number, Map<number, number[]>>;
}

/** The counts so far. A run only grows, so earlier counts stay valid. */
const counted = new WeakMap<TraceModel, Counted>();

const none: ActionTokensByLine = new Map();

/** The acted lines of one mod. `mod`: its place among the request's mods. Calls whose line is unknown are left out. */
export function actionTokensByLine(model: TraceModel, mod: number): ActionTokensByLine {
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

/** The next of these tokens after the cursor, wrapping around to the first; null if none of the tokens was emitted. */
export function nextActedToken(
  tokens: readonly number[],
  cursor: number | null,
  tokenCount: number,
): number | null {
  const came = tokens.filter((token) => token < tokenCount);
  return came.find((token) => cursor === null || token > cursor) ?? came[0] ?? null;
}
