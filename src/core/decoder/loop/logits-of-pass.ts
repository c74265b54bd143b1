/** Turns the result of a pass into the logits of a step. */
import { messageOf } from "../../base/message-of.ts";
import type { PassResult } from "../kv-cache/forward-pass.ts";
import type { KvCache } from "../kv-cache/kv-cache.ts";
import { CpuLogits } from "../logits/cpu-logits.ts";
import { GpuLogits } from "../logits/gpu-logits.ts";
import { PartialLogits } from "../logits/partial-logits.ts";
import type { GpuWorkspace } from "../logits/workspace.ts";
import { type EditableLogits, isListed, type ModelLogits } from "../ports/logits.ts";
import type { DecodeState } from "./decode-state.ts";

/** The last row of a pass, to be edited and sampled. */
export function logitsOfPass(
  { logits: { workspace }, ports }: DecodeState,
  { rows }: PassResult,
): EditableLogits {
  return editableLogits(rows.at(-1) ?? new Float32Array(), workspace, ports.kvCache);
}

/** If the device fails, `cache.fail` is called. */
export function editableLogits(
  row: ModelLogits,
  workspace: GpuWorkspace,
  cache: Pick<KvCache, "fail" | "failureOf">,
): EditableLogits {
  if (row instanceof Float32Array) return new CpuLogits(row, workspace);
  if (isListed(row)) return new PartialLogits(row, (error) => cache.failureOf(error));
  return new GpuLogits(row, workspace, (error) => cache.fail(messageOf(error), error));
}
