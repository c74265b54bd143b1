/** Limits of a request: tokens of output, passes, changes by mods. */
import type { FinishedRecord } from "../../trace/format/format.ts";
import { type DecodeRequest, defaultBudget } from "../ports/request.ts";
import type { Output } from "./output.ts";

/** How long the output may become, and how much work it may take. */
export interface Limits {
  /** Most tokens to emit that are not hidden. */
  tokens: number;
  /** The setting that determined `tokens`. */
  setBy: NonNullable<FinishedRecord["lengthLimit"]>;
  /** Most passes, and most changes by mods. */
  budget: number;
}

/** The part of a request's state that says how much the model's context holds. */
interface Capacity {
  readonly output: Pick<Output, "promptLength">;
  readonly ports: { readonly kvCache: { readonly model: { readonly capacity: number } } };
}

interface Limited extends Capacity {
  readonly request: Pick<DecodeRequest, "budget">;
  readonly limits: Limits;
}

/**
 * Most tokens of output that fit into the model's context after the prompt, hidden tokens included. The last token is never
 * computed, so a full context leaves room for one more token.
 */
export function outputCapacity({ ports, output }: Capacity): number {
  return ports.kvCache.model.capacity - output.promptLength + 1;
}

/** A mod limits the number of tokens. */
export function limitSteps({ limits, request, ports }: Limited, maxSteps: number): void {
  const { capacity } = ports.kvCache.model;
  limits.tokens = maxSteps;
  limits.setBy = "maxSteps";
  limits.budget = request.budget ?? defaultBudget(Math.min(maxSteps, capacity));
}

/** The model's context limits the number of tokens to the room beside the prompt. */
export function limitByContext(state: Limited): void {
  const room = outputCapacity(state);
  if (room >= state.limits.tokens) return;
  state.limits.tokens = room;
  state.limits.setBy = "context";
}

/** How many tokens may still follow the token that the next pass reads. Nobody needs the logits after the last of them. */
export function roomAhead(
  state: Capacity & { readonly output: Pick<Output, "hiddenBy" | "length">; readonly limits: Limits },
): number {
  const { output, limits } = state;
  const left = output.hiddenBy === null ? limits.tokens - output.length : Number.POSITIVE_INFINITY;
  return Math.min(left, outputCapacity(state) - output.length) - 1;
}
