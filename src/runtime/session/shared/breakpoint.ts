/** Breakpoints of a running request, and the points at which it paused. Plain data, exchanged by page and engine. */
import {
  describeUnknownKey,
  formatNameSuggestion,
  refuseUnknownKeys,
  unknownKey,
} from "../../../core/base/known-keys.ts";
import { effectiveActions } from "../../../core/trace/format/action-types.ts";

/** The events that a breakpoint can name: `modCall` is any reply of any mod. */
export const breakpointEvents = [
  "prefilled",
  "forwardPass",
  "sampled",
  "added",
  "backtracked",
  "modCall",
] as const;

export type BreakpointEvent = (typeof breakpointEvents)[number];

/** The replies that a breakpoint can name: `any` is every action but noop, and `fault` means that the mod failed. */
export const breakpointActions = ["any", ...effectiveActions, "fault"] as const;

export type BreakpointAction = (typeof breakpointActions)[number];

export type BreakpointRule =
  | { readonly type: "event"; readonly event: BreakpointEvent }
  /** Met when this text appears in the output, hidden tokens left out. Upper and lower case differ. */
  | { readonly type: "text"; readonly text: string }
  /** Met by a sampled token whose probability, in the distribution from which it was drawn, was below this number. */
  | { readonly type: "probability"; readonly below: number }
  /** `mod`: the mod's name; null for any mod. */
  | { readonly type: "action"; readonly action: BreakpointAction; readonly mod: string | null };

export type Breakpoint = BreakpointRule & {
  readonly id: string;
  /** False for a breakpoint that is switched off, but stays in the list. */
  readonly enabled: boolean;
};

export const breakpointLimits = { count: 50, text: 500, name: 200, id: 60 } as const;

const ruleKeys: Readonly<Record<BreakpointRule["type"], readonly string[]>> = {
  event: ["type", "event"],
  text: ["type", "text"],
  probability: ["type", "below"],
  action: ["type", "action", "mod"],
};
const keysOf = (type: BreakpointRule["type"]): readonly string[] => [...ruleKeys[type], "id", "enabled"];

/** @throws TypeError for a kind or a field that does not exist: a breakpoint with one would never be met */
export function checkBreakpoints(breakpoints: readonly Breakpoint[]): void {
  for (const [place, breakpoint] of breakpoints.entries()) {
    const path = `breakpoints[${place}]`;
    const refuse = (message: string) => new TypeError(`setBreakpoints: ${message}`);
    const { type } = breakpoint;
    if (!Object.hasOwn(ruleKeys, type))
      throw refuse(`${path}.type is "${type}". ${formatNameSuggestion(type, Object.keys(ruleKeys))}`);
    refuseUnknownKeys(breakpoint, keysOf(type), path, refuse);
  }
}

/** The mistake in a user's rule, and what to do; null if the rule is valid. */
export function breakpointProblem(rule: BreakpointRule): string | null {
  const known = keysOf(rule.type);
  const unknown = unknownKey(rule, known);
  if (unknown !== undefined) return describeUnknownKey("", unknown, known);
  switch (rule.type) {
    case "text":
      if (rule.text === "") return "Enter the text at which the run pauses.";
      return rule.text.length > breakpointLimits.text
        ? `The text has ${rule.text.length} characters: shorten it to ${breakpointLimits.text}.`
        : null;
    case "probability":
      return rule.below > 0 && rule.below <= 1
        ? null
        : `The probability is ${rule.below}: enter a number above 0 and at most 1, for example 0.05.`;
    case "action":
      return rule.mod !== null && rule.mod.length > breakpointLimits.name
        ? `The mod's name has ${rule.mod.length} characters: shorten it to ${breakpointLimits.name}.`
        : null;
    case "event":
      return null;
  }
}

/** Whether two rules are equal. */
export function isSameRule(one: BreakpointRule, other: BreakpointRule): boolean {
  return JSON.stringify(ruleOf(one)) === JSON.stringify(ruleOf(other));
}

/** A rule with its own fields only, in a fixed order. */
export function ruleOf(rule: BreakpointRule): BreakpointRule {
  switch (rule.type) {
    case "event":
      return { type: rule.type, event: rule.event };
    case "text":
      return { type: rule.type, text: rule.text };
    case "probability":
      return { type: rule.type, below: rule.below };
    case "action":
      return { type: rule.type, action: rule.action, mod: rule.mod };
  }
}

/** Why a request is paused. Plain data. */
export type PauseReason =
  | { readonly type: "asked" | "token" | "event" }
  | { readonly type: "breakpoints"; readonly met: readonly Breakpoint[] };

/** Where and why a request is paused. Plain data. */
export interface Pause {
  readonly why: PauseReason;
  /** Number of records before the pause. */
  readonly records: number;
  /** Whether the request is paused between two steps, not in the middle of one. */
  readonly isBetweenSteps: boolean;
}
