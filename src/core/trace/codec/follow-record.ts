/** Updates the state that writer and reader share with a record that was just written or read. */
import type { TraceRecord } from "../format/format.ts";
import type { CodingContext } from "./code-context.ts";
import { entropyClass } from "./grids.ts";

export function updateContext(context: CodingContext, record: TraceRecord): void {
  if ("timeUs" in record) context.timeUs = record.timeUs;
  switch (record.type) {
    case "request":
      context.candidates.fill(record.model.vocabularySize);
      return;
    case "prefilled":
      context.promptTokens = record.tokens.length;
      context.unread = record.tokens.length;
      break;
    case "forwardPass":
      context.forwardPasses += record.tokenCount > 0 ? 1 : 0;
      context.unread = 0;
      context.top = record.before?.top ?? [];
      context.entropy = record.before?.entropy ?? 0;
      break;
    case "modCall":
      context.lastEvent = record.event;
      context.lastMod = record.mod;
      if (!record.superseded && !record.fault) announceAction(context, record.mod, record.action);
      return;
    case "sampled":
      context.candidates[entropyClass(context.entropy)] = record.candidates;
      context.announced = { source: "sampled", mod: null, ids: [record.token], used: 0, text: record.text };
      break;
    case "added":
      for (const { text } of record.tokens) context.outputTokens.push({ index: context.emitted++, text });
      context.unread += record.tokens.length;
      context.announced = null;
      context.replacing = false;
      break;
    case "backtracked":
      context.outputTokens.length = Math.max(context.outputTokens.length - record.removed.length, 0);
      context.unread = 1;
      context.replacing = record.replacement > 0;
      break;
    case "adjusted":
      context.entropy = record.after.entropy;
      return;
    case "scored":
    case "finished":
      return;
  }
  context.lastEvent = record.type;
  context.lastMod = -1;
}

function announceAction(
  context: CodingContext,
  mod: number,
  action: Extract<TraceRecord, { type: "modCall" }>["action"],
): void {
  if (!("tokens" in action)) return;
  const source = action.type === "backtrack" ? "reinjected" : "forced";
  context.announced = { source, mod, ids: action.tokens, used: 0, text: action.text };
}
