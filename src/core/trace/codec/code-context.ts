/**
 * The state that writer and reader share after the records so far. Both predict the next values from this state, and only the
 * difference from the prediction is written.
 */
import type {
  TraceEventType,
  TraceToken,
  TraceTokenSource,
  TraceTopToken,
  TraceVector,
} from "../format/format-values.ts";
import { traceLimits } from "../format/limits.ts";

/**
 * The tokens that will be added next, as a `sampled` record or a mod's action announced them. The next `added` record most likely
 * has the same tokens.
 */
export interface AnnouncedTokens {
  readonly source: TraceTokenSource;
  readonly mod: number | null;
  readonly ids: readonly number[];
  /** How many of `ids` the `added` record has used so far. */
  used: number;
  /** The part of the announced text that the `added` record has not used so far. */
  text: string;
}

export interface CodingContext {
  timeUs: number;
  /** The tokens in the output. `emitted` also counts the removed tokens. */
  readonly outputTokens: { readonly index: number; readonly text: string }[];
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
  announced: AnnouncedTokens | null;
  /** True if the last record removed tokens and their replacement follows. */
  replacing: boolean;
  /** The last token id that was written for each text. */
  readonly idOf: Map<string, number>;
  /** Distinct tokens of all top-k lists and counterfactual tokens, in the order of their first use. */
  readonly table: TraceToken[];
  readonly tablePlace: Map<string, number>;
  /** The top-k tokens of the last forward pass. */
  top: readonly TraceTopToken[];
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

export function createCodingContext(): CodingContext {
  return {
    timeUs: 0,
    outputTokens: [],
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
