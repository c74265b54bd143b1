/** Finds the breakpoints that the records of a request meet. Pure: the caller passes each record once, in order. */
import type { ModCallRecord, TraceRecord } from "../../../core/trace/format/format.ts";
import type { Breakpoint, BreakpointRule } from "./breakpoint.ts";

export interface BreakpointWatch {
  /** Replaces the breakpoints, for the records that follow. */
  set(breakpoints: readonly Breakpoint[]): void;
  /** The breakpoints that this record meets; none for nearly all records. */
  see(record: TraceRecord): readonly Breakpoint[];
}

const nothing: readonly Breakpoint[] = [];

/** A token of the current output that is not hidden. */
interface VisibleToken {
  readonly index: number;
  readonly text: string;
}

export function createBreakpointWatch(): BreakpointWatch {
  let active: readonly Breakpoint[] = [];
  /** Names of the request's mods. */
  let mods: readonly string[] = [];
  /** The output without hidden tokens. */
  const output: VisibleToken[] = [];

  const meets = (rule: BreakpointRule, record: TraceRecord): boolean => {
    switch (rule.type) {
      case "event":
        // Passes in the middle of a prompt have no probabilities, so no mod is asked about them.
        return record.type === rule.event && !(record.type === "forwardPass" && record.before === null);
      case "text":
        return record.type === "added" && !record.hidden && completes(rule.text, record.tokens.length);
      case "probability":
        return record.type === "sampled" && record.probability < rule.below;
      case "action":
        return record.type === "modCall" && acts(rule, record, mods[record.mod]);
    }
  };

  /** Whether the output contains the text so that it ends within the last `count` tokens. */
  const completes = (text: string, count: number): boolean => {
    const added = textOf(output.slice(output.length - count));
    let before = "";
    for (let place = output.length - count - 1; place >= 0 && before.length < text.length - 1; place -= 1)
      before = (output[place]?.text ?? "") + before;
    const kept = before.slice(Math.max(0, before.length - (text.length - 1)));
    return (kept + added).includes(text);
  };

  return {
    set(breakpoints) {
      active = breakpoints.filter(({ enabled }) => enabled);
    },
    see(record) {
      if (record.type === "request") mods = record.mods.map(({ name }) => name);
      if (record.type === "added" && !record.hidden) {
        for (const [place, { text }] of record.tokens.entries())
          output.push({ index: record.index + place, text });
      }
      if (record.type === "backtracked") {
        const [first = Number.POSITIVE_INFINITY] = record.removed;
        // Removed tokens are always the last ones, and token numbers increase.
        while ((output.at(-1)?.index ?? -1) >= first) output.pop();
      }
      if (active.length === 0) return nothing;
      return active.filter((rule) => meets(rule, record));
    },
  };
}

function textOf(tokens: readonly VisibleToken[]): string {
  return tokens.map(({ text }) => text).join("");
}

function acts(
  { action, mod }: Extract<BreakpointRule, { type: "action" }>,
  record: ModCallRecord,
  name: string | undefined,
): boolean {
  if (mod !== null && mod !== name) return false;
  if (action === "fault") return record.fault !== null;
  if (record.fault !== null) return false;
  return action === "any" ? record.action.type !== "noop" : record.action.type === action;
}
