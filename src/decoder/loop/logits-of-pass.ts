/** What a pass gave, as a row of a step. */
import { messageOf } from "../../base/message-of.ts";
import type { Advance } from "../kv-cache/forward-pass.ts";
import { HostRow } from "../logits/cpu-logits.ts";
import { DeviceStepRow } from "../logits/gpu-logits.ts";
import type { StepRow } from "../ports/logits.ts";
import type { DecodeState } from "./decode-state.ts";

/** The last row of a pass, to be edited and sampled. */
export function rowOf({ logits: { workspace }, ports }: DecodeState, { rows }: Advance): StepRow {
  const row = rows.at(-1) ?? new Float32Array();
  if (row instanceof Float32Array) return new HostRow(row, workspace);
  return new DeviceStepRow(row, workspace, (error) => ports.kvCache.fail(messageOf(error), error));
}
