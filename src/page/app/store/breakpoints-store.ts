/** The breakpoints of this tab. */
import { createStore, type StoreApi } from "zustand/vanilla";
import {
  type Breakpoint,
  type BreakpointRule,
  breakpointActions,
  breakpointEvents,
  breakpointLimits,
  breakpointProblem,
  isSameRule,
  ruleOf,
} from "../../../runtime/session/shared/breakpoint.ts";
import { newId } from "./new-id.ts";
import { asChoice, asNumber, asRecord, asString, type StoredValue } from "./persist.ts";
import type { Undo } from "./take-back.ts";

export interface BreakpointsState {
  readonly breakpoints: readonly Breakpoint[];
  /** Adds a breakpoint, or switches it on if the list has it. Returns a sentence, and changes nothing, if the rule is wrong. */
  add(rule: BreakpointRule): string | null;
  setEnabled(id: string, enabled: boolean): void;
  /** Switches all breakpoints on or off. */
  setAllEnabled(enabled: boolean): void;
  /** Removes a breakpoint. Returns a function that puts it back in its place. */
  remove(id: string): Undo;
}

/** `apply`: called with the breakpoints at once and whenever they change. */
export function createBreakpointsStore(
  stored: StoredValue<readonly Breakpoint[]>,
  apply: (breakpoints: readonly Breakpoint[]) => void,
): StoreApi<BreakpointsState> {
  const store = createStore<BreakpointsState>()((set, get) => {
    const change = (to: (now: readonly Breakpoint[]) => readonly Breakpoint[]) =>
      set(({ breakpoints }) => ({ breakpoints: to(breakpoints) }));
    return {
      breakpoints: stored.load() ?? [],
      add(rule) {
        const problem = breakpointProblem(rule);
        if (problem !== null) return problem;
        const { breakpoints, setEnabled } = get();
        const same = breakpoints.find((each) => isSameRule(each, rule));
        if (same) setEnabled(same.id, true);
        else if (breakpoints.length >= breakpointLimits.count)
          return `There are ${breakpoints.length} breakpoints, which is the limit: remove one first.`;
        else change((now) => [...now, { ...ruleOf(rule), id: newId(), enabled: true }]);
        return null;
      },
      setEnabled: (id, enabled) =>
        change((now) => now.map((each) => (each.id === id ? { ...each, enabled } : each))),
      setAllEnabled: (enabled) => change((now) => now.map((each) => ({ ...each, enabled }))),
      remove(id) {
        const place = get().breakpoints.findIndex((each) => each.id === id);
        const removed = get().breakpoints[place];
        change((now) => now.filter((each) => each.id !== id));
        return () => {
          if (removed && !get().breakpoints.some((each) => each.id === id || isSameRule(each, removed)))
            change((now) => now.toSpliced(Math.min(place, now.length), 0, removed));
        };
      },
    };
  });
  apply(store.getState().breakpoints);
  store.subscribe(({ breakpoints }) => {
    stored.save(breakpoints);
    apply(breakpoints);
  });
  return store;
}

/** Parses the stored breakpoints. Unknown entries are left out. */
export function parseBreakpoints(value: unknown): readonly Breakpoint[] | null {
  if (!Array.isArray(value)) return null;
  return value.slice(0, breakpointLimits.count).flatMap((each) => {
    const fields = asRecord(each);
    const id = asString(fields?.id);
    const rule = fields && parseRule(fields);
    if (!fields || id === null || id.length > breakpointLimits.id || !rule) return [];
    return breakpointProblem(rule) === null ? [{ ...rule, id, enabled: fields.enabled === true }] : [];
  });
}

function parseRule(fields: Readonly<Record<string, unknown>>): BreakpointRule | null {
  switch (fields.type) {
    case "event": {
      const event = asChoice(fields.event, breakpointEvents);
      return event && { type: "event", event };
    }
    case "text": {
      const text = asString(fields.text);
      return text === null ? null : { type: "text", text };
    }
    case "probability": {
      const below = asNumber(fields.below, 0, 1);
      return below === null ? null : { type: "probability", below };
    }
    case "action": {
      const action = asChoice(fields.action, breakpointActions);
      return action && { type: "action", action, mod: asString(fields.mod) };
    }
    default:
      return null;
  }
}
