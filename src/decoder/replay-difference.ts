/** How what a replay came to differs from what was recorded, in words. */
import type { TokenId } from "../sdk/request.ts";
import type { ModCallRecord, TraceRecord } from "../trace/format.ts";
import type { ModHost } from "./mod-host.ts";

/** In words, how what the loop came to differs from the record; null where it does not. */
export function differenceOf(
  record: TraceRecord,
  recorded: TraceRecord | undefined,
  mods: readonly ModHost[],
): string | null {
  if (!recorded) return `The record ends before ${happened(record, mods)} ${whereOf(record)}.`;
  if (isSame(record, recorded)) return null;
  return `Now ${happened(record, mods)} ${whereOf(record)}; in the record ${happened(recorded, mods)}${
    whereOf(record) === whereOf(recorded) ? "" : ` ${whereOf(recorded)}`
  }.`;
}

function isSame(record: TraceRecord, recorded: TraceRecord): boolean {
  return JSON.stringify(essence(record)) === JSON.stringify(essence(recorded));
}

/** What a replay has to come to again: not times, not what was printed, not what only a model knows. */
function essence(record: TraceRecord): unknown {
  switch (record.type) {
    case "prefilled":
      return [record.type, ids(record.tokens)];
    case "modCall":
      return [
        record.type,
        record.step,
        record.mod,
        record.event,
        record.action,
        record.superseded,
        record.fault?.kind ?? null,
      ];
    case "added":
      return [
        record.type,
        record.step,
        record.index,
        ids(record.tokens),
        record.source,
        record.mod,
        record.hidden,
      ];
    case "backtracked":
      return [record.type, record.step, record.mod, record.removed];
    case "finished":
      return [record.type, record.step, record.reason, record.text, record.toolCalls];
    case "sampled":
      return [record.type, record.step, record.token];
    case "request":
      return [record.type];
    case "forwardPass":
    case "adjusted":
      return [record.type, record.step];
    case "scored":
      return [record.type, record.index];
  }
}

function ids(tokens: readonly { readonly token: TokenId }[]): readonly TokenId[] {
  return tokens.map(({ token }) => token);
}

export function whereOf(record: TraceRecord): string {
  return "step" in record ? `at step ${record.step}` : "at the start";
}

/** A record as the end of "in the record …". */
export function happened(record: TraceRecord, mods: readonly ModHost[]): string {
  const nameOf = (mod: number | null) => (mod === null ? "the model" : `the mod "${mods[mod]?.name ?? mod}"`);
  switch (record.type) {
    case "modCall":
      return `${nameOf(record.mod)} ${answered(record)} at ${record.event}`;
    case "added":
      return `${nameOf(record.mod)} added ${JSON.stringify(record.tokens.map(({ text }) => text).join(""))}`;
    case "backtracked":
      return `${nameOf(record.mod)} took ${record.removed.length} tokens back`;
    case "finished":
      return `the request ended (${record.reason})`;
    case "prefilled":
      return `the prompt has ${record.tokens.length} tokens`;
    case "sampled":
      return `${JSON.stringify(record.text)} was drawn`;
    case "forwardPass":
      return "the model was asked";
    case "request":
    case "adjusted":
    case "scored":
      return `a record "${record.type}" stands`;
  }
}

function answered({ action, fault }: ModCallRecord): string {
  if (fault) return `failed (${fault.kind})`;
  if (action.type === "noop") return "answered nothing";
  const text = "text" in action ? ` ${JSON.stringify(action.text)}` : "";
  return `answered ${action.type}${text}`;
}
