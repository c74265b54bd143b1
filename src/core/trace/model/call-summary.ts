/** Mods' replies in a few words each. The texts are untrusted: show them as text. */
import { countWithNoun, formatCount, formatNumber } from "../../base/number-text.ts";
import type { ModCallRecord } from "../format/format.ts";
import type { TraceToolCall } from "../format/format-request.ts";
import { describeLayers } from "./describe-layers.ts";
import { isSuperseded } from "./trace-items.ts";
import type { TraceModel } from "./trace-model.ts";
import { modName, quote, recordOf } from "./trace-view.ts";

/** A mod call as the event list shows it. */
export interface ModCallItem {
  readonly record: number;
  readonly modName: string;
  readonly call: ModCallRecord;
  /** The requested action, in a few words. */
  readonly summary: string;
}

/** The mod call with a record number; null if that is no call. */
export function modCallItem(model: TraceModel, record: number): ModCallItem | null {
  const call = recordOf(model, record, "modCall");
  if (!call) return null;
  const scored = scoredSummary(call);
  const summary = modCallSummary(call);
  return {
    record,
    modName: modName(model, call.mod),
    call,
    summary: scored ? `${summary}, ${scored}` : summary,
  };
}

/** The scores that a mod asked for and the passes they took: "8 texts scored in 3 forward passes". */
function scoredSummary({ scores = [] }: ModCallRecord): string | null {
  if (scores.length === 0) return null;
  const texts = scores.reduce((sum, { logprobs }) => sum + logprobs.length, 0);
  const passes = scores.reduce((sum, each) => sum + each.passes, 0);
  return `${countWithNoun(texts, "text")} scored in ${formatCount(passes)} forward ${passes === 1 ? "pass" : "passes"}`;
}

/** True if a mod's call did nothing: no action, no fault, no console line. Most calls do nothing. */
export function isSilent({ action, fault, console }: ModCallRecord): boolean {
  if (fault !== null || console.length > 0) return false;
  if (action.type === "noop") return true;
  return (
    action.type === "backtrack" && action.count === 0 && action.tokens.length === 0 && action.text === ""
  );
}

/** A mod's reply, in a few words. */
export function modCallSummary(call: ModCallRecord): string {
  if (call.fault) return faultSummary(call.fault);
  const did = actionSummary(call.action);
  return isSuperseded(call) ? `${did} (superseded: an earlier mod acted first)` : did;
}

/**
 * The first words about a fault. A fault of the sandbox has a whole sentence as its message; the message of a mod's own
 * fault gets a beginning such as "threw".
 */
function faultSummary({ kind, message }: NonNullable<ModCallRecord["fault"]>): string {
  if (kind === "threw") return `threw: ${message}`;
  return kind === "invalid-action" ? `invalid action: ${message}` : message;
}

function actionSummary(action: ModCallRecord["action"]): string {
  switch (action.type) {
    case "noop":
      return "nothing";
    case "adjustPrefill":
      return `replaced the prompt with ${countWithNoun(action.tokenCount, "token")}`;
    case "adjustLogits":
      return editSummary(action);
    case "forceTokens":
      return `forced ${quote(action.text)}`;
    case "backtrack":
      return backtrackSummary(action);
    case "forceOutput":
      return `set the output to ${quote(action.text)}`;
    case "toolCalls":
      return `called ${namesOf(action.calls)}`;
    case "error":
      return `ended the run with an error: ${action.message}`;
    case "steer":
      return steerSummary(action);
    case "patch":
      return `replaced the state of layer ${action.layer} in the next pass`;
  }
}

/** Layers count from 0, as mods name them. */
function steerSummary({ vectors }: Extract<ModCallRecord["action"], { type: "steer" }>): string {
  if (vectors.length === 0) return "stopped steering";
  const by = vectors.length === 1 ? "a vector" : countWithNoun(vectors.length, "vector");
  return `steered with ${by} at ${describeLayers(vectors)}`;
}

/** The most tool calls whose names are listed. */
const mostNamed = 20;

function namesOf(calls: readonly TraceToolCall[]): string {
  const names = calls.slice(0, mostNamed).map(({ function: { name } }) => name);
  const others = calls.length - names.length;
  return others > 0 ? `${names.join(", ")} and ${formatCount(others)} more` : names.join(", ");
}

/** Describes the edits of an `adjustLogits` action. Counts of zero are left out. */
function editSummary(edit: Extract<ModCallRecord["action"], { type: "adjustLogits" }>): string {
  const parts = [
    edit.dense && "replaced all probabilities",
    edit.ban > 0 && `banned ${countWithNoun(edit.ban, "token")}`,
    edit.only > 0 && `allowed only ${countWithNoun(edit.only, "token")}`,
    edit.add > 0 && `shifted ${countWithNoun(edit.add, "logit")}`,
    edit.temperature !== null && `set the temperature to ${formatNumber(edit.temperature)}`,
  ];
  return parts.filter(Boolean).join(", ") || "changed no probabilities";
}

function backtrackSummary(action: Extract<ModCallRecord["action"], { type: "backtrack" }>): string {
  const puts = action.tokens.length > 0 || action.text !== "";
  if (action.count === 0) return puts ? `forced ${quote(action.text)}` : "nothing";
  const removed = `removed ${countWithNoun(action.count, "token")}`;
  const place = action.count === 1 ? "its place" : "their place";
  return puts ? `${removed}, put ${quote(action.text)} in ${place}` : removed;
}
