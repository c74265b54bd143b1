/**
 * The limits that a request may set for itself and its mods: the defaults, the allowed values, and the check before the request
 * starts.
 */
import { formatNameSuggestion } from "../../../core/base/known-keys.ts";
import { defaultPassBudget } from "../../../core/decoder/ports/request.ts";
import { type Deadlines, defaultDeadlines } from "../../sandbox/deadlines.ts";
import type { RunRequest } from "./requests.ts";

export { type Deadlines, defaultDeadlines, defaultPassBudget };

/** Allowed ranges; all limits are whole numbers. */
export const limitRanges = {
  /** Forward passes. */
  budget: { min: 1, max: 10_000_000 },
  /** Milliseconds. At most ten minutes, for a mod that waits for a person. */
  deadline: { min: 1, max: 600_000 },
} as const;

/** Whether a value is a limit of this kind. */
export function isValidLimit(kind: keyof typeof limitRanges, value: unknown): value is number {
  const { min, max } = limitRanges[kind];
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

/** @throws RangeError that names the field, its value and the allowed range. */
export function checkRequestLimits({
  budget,
  promptLookup,
  deadlines = {},
  mods,
}: Pick<RunRequest, "budget" | "promptLookup" | "deadlines" | "mods">): void {
  if (budget !== undefined && !isValidLimit("budget", budget)) {
    const { min, max } = limitRanges.budget;
    throw new RangeError(
      `The request's "budget" is ${budget}: give a whole number of forward passes from ${min} to ${max}.`,
    );
  }
  if (promptLookup !== undefined && typeof promptLookup !== "boolean") {
    throw new RangeError(
      `The request's "promptLookup" is ${JSON.stringify(promptLookup)}: give true or false, or leave "promptLookup" out.`,
    );
  }
  checkDeadlines("The request", deadlines);
  for (const { name, entry, limits } of mods) {
    checkDeadlines(`The mod "${name}"`, limits?.deadlines ?? {});
    if (entry === undefined || isName.test(entry)) continue;
    throw new RangeError(
      `The "entry" of the mod "${name}" is ${JSON.stringify(entry)}: give the name of an export, or leave "entry" out to use the default export.`,
    );
  }
}

/** @throws RangeError */
function checkDeadlines(owner: string, deadlines: Partial<Deadlines>): void {
  const names = Object.keys(defaultDeadlines);
  for (const [name, value] of Object.entries(deadlines)) {
    if (!names.includes(name))
      throw new RangeError(
        `${owner} has an unknown deadline "${name}". ${formatNameSuggestion(name, names)}`,
      );
    if (isValidLimit("deadline", value)) continue;
    const { min, max } = limitRanges.deadline;
    throw new RangeError(
      `${owner}'s deadlines.${name} is ${value}: it must be a whole number of milliseconds from ${min} to ${max}.`,
    );
  }
}

const isName = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
