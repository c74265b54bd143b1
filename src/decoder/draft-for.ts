/** The draft that the next pass of a request reads along. */
import { type DecodeState, outputCapacity } from "./decode-state.ts";
import { Drafts } from "./drafts.ts";
import type { Draft } from "./kv-cache.ts";

/** Undefined where drafts are of no use. No longer than what may still come: logits after the last token are not wanted. */
export function draftFor(state: DecodeState): Draft | undefined {
  const { ports, output, limit } = state;
  const { passCost } = ports.kvCache.model;
  if (!passCost || ports.withoutDrafts) return undefined;
  state.drafts ??= new Drafts(passCost, output.promptLength);
  const { drafts } = state;
  const left = output.hiddenBy === null ? limit - output.length : Number.POSITIVE_INFINITY;
  const room = Math.min(left, outputCapacity(state) - output.length) - 1;
  // A pass over a forced span is a long one already.
  const isSpan = () => output.sequence.length - ports.kvCache.length > 1;
  return () => (isSpan() ? [] : drafts.propose(output.sequence, room));
}
