/** What a pass gave, as a row of a step. */
import { messageOf } from "../../base/message-of.ts";
import type { PassResult } from "../kv-cache/forward-pass.ts";
import { CpuLogits } from "../logits/cpu-logits.ts";
import { GpuLogits } from "../logits/gpu-logits.ts";
import type { EditableLogits } from "../ports/logits.ts";
import type { DecodeState } from "./decode-state.ts";

/** The last row of a pass, to be edited and sampled. */
export function logitsOfPass(
  { logits: { workspace }, ports }: DecodeState,
  { rows }: PassResult,
): EditableLogits {
  const row = rows.at(-1) ?? new Float32Array();
  if (row instanceof Float32Array) return new CpuLogits(row, workspace);
  return new GpuLogits(row, workspace, (error) => ports.kvCache.fail(messageOf(error), error));
}
