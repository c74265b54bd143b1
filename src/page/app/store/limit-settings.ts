/** The user's limits for the work of a run and the time of its mods, as far as they differ from the defaults. */

import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import {
  type Deadlines,
  defaultDeadlines,
  defaultPassBudget,
  isValidLimit,
  limitRanges,
} from "../../../runtime/session/shared/request-limits.ts";
import { asRecord } from "./persist.ts";

export interface LimitSettings {
  /** The most forward passes of a run; null: a budget that follows from the most tokens (`defaultPassBudget`). */
  readonly budget: number | null;
  /** Milliseconds that each mod may take, if they differ from the default. */
  readonly deadlines: Partial<Deadlines>;
}

export const defaultLimits: LimitSettings = { budget: null, deadlines: {} };

/** Whether any limit is not the default. */
export function hasOwnLimits({ budget, deadlines }: LimitSettings): boolean {
  return budget !== null || Object.keys(deadlines).length > 0;
}

export const deadlineNames = Object.keys(defaultDeadlines) as readonly (keyof Deadlines)[];

/** Limits from storage: each valid limit, and the default for each other limit. */
export function parseLimits(value: unknown): LimitSettings {
  const fields = asRecord(value);
  const deadlines = asRecord(fields?.deadlines);
  return {
    budget: isValidLimit("budget", fields?.budget) ? fields.budget : null,
    deadlines: ownDeadlines((name) => (isValidLimit("deadline", deadlines?.[name]) ? deadlines[name] : null)),
  };
}

/** The limits under which a recorded run was made, each moved into the range that a request takes. */
export function limitsOfRecord({
  budget,
  maxTokens,
  deadlines,
}: Pick<RequestRecord, "budget" | "maxTokens" | "deadlines">): LimitSettings {
  const { budget: passes, deadline } = limitRanges;
  return {
    budget: budget === defaultPassBudget(maxTokens) ? null : within(budget, passes),
    deadlines: ownDeadlines((name) => deadlines && within(deadlines[name], deadline)),
  };
}

/** `limits` with another deadline. */
export function withDeadline(limits: LimitSettings, changed: keyof Deadlines, value: number): LimitSettings {
  const { deadlines } = limits;
  return {
    ...limits,
    deadlines: ownDeadlines((name) => (name === changed ? value : (deadlines[name] ?? null))),
  };
}

/** The deadlines that differ from the default. `ownValue` returns null for a default. */
function ownDeadlines(ownValue: (name: keyof Deadlines) => number | null): Partial<Deadlines> {
  return Object.fromEntries(
    deadlineNames.flatMap((name) => {
      const value = ownValue(name);
      return value === null || value === defaultDeadlines[name] ? [] : [[name, value]];
    }),
  );
}

function within(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.min(Math.max(Math.round(value), min), max);
}
