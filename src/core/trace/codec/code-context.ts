/**
 * The state that writer and reader share after the records so far. Both predict the next values from this state, and only the
 * difference from the prediction is written.
 */
import type {
  TraceAlternative,
  TraceEventType,
  TraceRecord,
  TraceToken,
  TraceTokenSource,
  TraceVector,
} from "../format/format.ts";
import { traceLimits } from "../format/limits.ts";
import { entropyClass } from "./grids.ts";

/**
 * The tokens that will be added next, as a `sampled` record or a mod's action announced them. The next `added` record most likely
 * has the same tokens.
 */
export interface Announced {
  readonly source: TraceTokenSource;
  readonly mod: number | null;
  readonly ids: readonly number[];
  /** How many of `ids` the `added` record has used so far. */
  used: number;
  /** The part of the announced text that the `added` record has not used so far. */
  text: string;
}

export interface CodeContext {
  timeUs: number;
  /** The tokens in the output. `emitted` also counts the removed tokens. */
  readonly live: { readonly index: number; readonly text: string }[];
  emitted: number;
  promptTokens: number;
  forwardPasses: number;
  /** Tokens that were added since the last forward pass. */
  unread: number;
  lastEvent: TraceEventType;
  /** Mod of the last call at the last event, -1 when there was none. */
  lastMod: number;
  /** `candidates` of the last step in each class of entropy (`entropyClass`), 0 to 4. */
  readonly candidates: number[];
  /** Entropy of the last forward pass, or of the `adjusted` record that followed it. */
  entropy: number;
  announced: Announced | null;
  /** True if the last record removed tokens and their replacement follows. */
  replacing: boolean;
  /** The last token id that was written for each text. */
  readonly idOf: Map<string, number>;
  /** Distinct tokens of all top-k lists, in the order of their first use. */
  readonly table: TraceToken[];
  readonly tablePlace: Map<string, number>;
  /** The top-k tokens of the last forward pass. */
  top: readonly TraceAlternative[];
  /** Length of the last top-k list. */
  topLength: number;
  /** The top-k length that a mod asked for most recently. */
  asked: number;
  /** How many more entries this trace may have in top-k lists that mods asked for. */
  topKLeft: number;
  /** Distinct vectors of mods, in the order of their first use, and how many more vector numbers the trace may hold. */
  readonly vectors: TraceVector[];
  readonly vectorPlace: Map<string, number>;
  vectorNumbersLeft: number;
  /**
   * Number of `steer` actions so far, counted up to the most mods that a request may have; and the layers that were patched.
   */
  steers: number;
  readonly patchedLayers: Set<number>;
}

export function createCodeContext(): CodeContext {
  return {
    timeUs: 0,
    live: [],
    emitted: 0,
    promptTokens: 0,
    forwardPasses: 0,
    unread: 0,
    lastEvent: "prefilled",
    lastMod: -1,
    candidates: [0, 0, 0, 0, 0],
    entropy: 0,
    announced: null,
    replacing: false,
    idOf: new Map(),
    table: [],
    tablePlace: new Map(),
    top: [],
    topLength: 0,
    asked: 0,
    topKLeft: traceLimits.topKEntries,
    vectors: [],
    vectorPlace: new Map(),
    vectorNumbersLeft: traceLimits.vectorNumbers,
    steers: 0,
    patchedLayers: new Set(),
  };
}

/** Updates the state with a record that was just written or read. */
export function follow(context: CodeContext, record: TraceRecord): void {
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
      for (const { text } of record.tokens) context.live.push({ index: context.emitted++, text });
      context.unread += record.tokens.length;
      context.announced = null;
      context.replacing = false;
      break;
    case "backtracked":
      context.live.length = Math.max(context.live.length - record.removed.length, 0);
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
  context: CodeContext,
  mod: number,
  action: Extract<TraceRecord, { type: "modCall" }>["action"],
): void {
  if (action.type !== "forceTokens" && action.type !== "backtrack" && action.type !== "forceOutput") return;
  const source = action.type === "backtrack" ? "reinjected" : "forced";
  context.announced = { source, mod, ids: action.tokens, used: 0, text: action.text };
}
