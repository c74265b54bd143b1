/** What a pass gave, as a row of a step. */
import type { DecodeState } from "./decode-state.ts";
import { HostRow } from "./host-row.ts";
import type { Advance } from "./kv-cache.ts";
import type { StepRow } from "./logits-row.ts";

/** The last row of a pass, to be edited and sampled. */
export function rowOf({ workspace }: DecodeState, { rows }: Advance): StepRow {
  return new HostRow(rows.at(-1) ?? new Float32Array(), workspace);
}
