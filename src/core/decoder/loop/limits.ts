/** Limits of a request: tokens of output, passes, changes by mods. */
import type { FinishedRecord } from "../../trace/format/format.ts";
import { type DecodeRequest, defaultPassBudget } from "../ports/request.ts";
import type { Output } from "./output.ts";

/** How long the output may become, and how much work it may take. */
export interface Limits {
  /** The most tokens of the output, hidden tokens apart. */
  tokens: number;
  /** The setting that determined `tokens`. */
  setBy: NonNullable<FinishedRecord["lengthLimit"]>;
  /** The most passes, and the most changes by mods. */
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
 * The most tokens of output, hidden tokens included, that fit into the model's context after the prompt. The model never
 * reads the last token, so a full context leaves room for one more token.
 */
export function outputCapacity({ ports, output }: Capacity): number {
  return ports.kvCache.model.capacity - output.promptLength + 1;
}

/** Applies a mod's limit for the number of tokens. The budget follows from this limit, unless the request sets a budget. */
export function applyMaxSteps({ limits, request, ports }: Limited, maxSteps: number): void {
  const { capacity } = ports.kvCache.model;
  limits.tokens = maxSteps;
  limits.setBy = "maxSteps";
  limits.budget = request.budget ?? defaultPassBudget(Math.min(maxSteps, capacity));
}

/** Limits the number of tokens to the room that the prompt leaves in the model's context. */
export function limitByContext(state: Limited): void {
  const room = outputCapacity(state);
  if (room >= state.limits.tokens) return;
  state.limits.tokens = room;
  state.limits.setBy = "context";
}

/**
 * How many tokens may still follow the token that the next pass reads. The logits after the last of these tokens are not
 * needed.
 */
export function tokensAllowedAhead(
  state: Capacity & { readonly output: Pick<Output, "hiddenBy" | "length">; readonly limits: Limits },
): number {
  const { output, limits } = state;
  const left = output.hiddenBy === null ? limits.tokens - output.length : Number.POSITIVE_INFINITY;
  return Math.min(left, outputCapacity(state) - output.length) - 1;
}
