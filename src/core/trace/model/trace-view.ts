/** Pure functions that read from a trace model what the views show. All texts and numbers are untrusted: show them as text. */
import type {
  ModCallRecord,
  TraceDistribution,
  TraceEventType,
  TraceHealed,
  TraceRecord,
  TraceToken,
  TraceTokenSource,
} from "../format/format.ts";
import { isParentMod } from "../format/request-mods.ts";
import {
  isolateDirection,
  isPartOfCharacter,
  partOfCharacter,
  showInvisibleCharacters,
} from "../text/visible-text.ts";
import type { TokenSteering } from "./steered.ts";
import { noIndex, type TokenKind } from "./token-table.ts";
import type { EventItem, TraceModel } from "./trace-model.ts";

/** Everything known about one token. A field is null if its value is unknown or was left out of a link. */
export interface TokenRow {
  readonly index: number;
  /** Vocabulary id; null when left out. */
  readonly token: number | null;
  readonly text: string;
  readonly kind: TokenKind;
  readonly source: TraceTokenSource;
  /** Number of tokens in the output before this one when it was added. */
  readonly step: number;
  readonly timeUs: number | null;
  readonly isInOutput: boolean;
  /** Number of the removed span that contains the token. */
  readonly removedBy: number | null;
  /** Number of the removed span that the token replaces. */
  readonly replaces: number | null;
  /** Names of the mods: the mod that forced the token (`event`: at which event), or the mods that adjusted its logits. */
  readonly mods: readonly string[];
  readonly event: TraceEventType | null;
  /** Line of the mod that forced the token, 1-based. */
  readonly line: number | null;
  /** Natural log-probabilities before and after the mods. */
  readonly logprobBefore: number | null;
  readonly logprobAfter: number | null;
  /** Probability before any mod: `exp(logprobBefore)`. */
  readonly probabilityBefore: number | null;
  /** Probability in the distribution that was sampled; null for tokens that were not sampled. */
  readonly probability: number | null;
  /** Entropies before and after the mods, in bits. */
  readonly entropyBefore: number | null;
  readonly entropyAfter: number | null;
  readonly before: TraceDistribution | null;
  readonly after: TraceDistribution | null;
  /** Temperature that a mod set for this step alone; null if no mod set one. */
  readonly temperature: number | null;
  /** True if a mod edited the logits of this step, and not only the temperature. */
  readonly editsProbabilities: boolean;
  readonly counterfactual: TraceToken | null;
  /**
   * The end of the preceding text, which token healing took back so that this token could be chosen; null if no text was taken
   * back.
   */
  readonly healed: TraceHealed | null;
  /** The steering under which the model chose the token; null if nothing steered. */
  readonly steered: TokenSteering | null;
  /** The random number in [0, 1) that picked the token. */
  readonly draw: number | null;
  readonly candidates: number | null;
}

const known = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;
const numbered = (value: number | undefined): number | null =>
  value === undefined || value === noIndex ? null : value;

/** The most UTF-16 units of a mod's name that are shown. The page allows no longer names. */
const longestName = 40;

/**
 * The shown name of a mod, or "mod 3" if the request does not list it. The name of a mod that took part only before
 * the branch says so.
 */
export function modName(model: TraceModel, mod: number): string {
  const name = showInvisibleCharacters(model.request?.mods[mod]?.name ?? "", longestName) || `mod ${mod + 1}`;
  return isParentMod(model.request, mod) ? `${name} (parent run)` : name;
}

/** The record with a number, if the record has this type. */
export function recordOf<Type extends TraceRecord["type"]>(
  model: Pick<TraceModel, "records">,
  number: number | undefined,
  type: Type,
): Extract<TraceRecord, { type: Type }> | null {
  const record = number === undefined ? undefined : model.records[number];
  return record?.type === type ? (record as Extract<TraceRecord, { type: Type }>) : null;
}

/** The mod calls of an event, in order. */
export function callsOf(model: TraceModel, event: EventItem): readonly ModCallRecord[] {
  return event.calls.flatMap((number) => recordOf(model, number, "modCall") ?? []);
}

/** The row of a token. @throws RangeError if no token with this index was emitted. */
export function tokenRow(model: TraceModel, index: number): TokenRow {
  const table = model.tokens;
  const kind = table.kind[index];
  const source = table.source[index];
  if (kind === undefined || source === undefined) {
    throw new RangeError(`No token ${index}: the trace has ${table.token.length}.`);
  }
  const has = !model.leftOut.has("probabilities");
  const number = (value: number | undefined) => (has ? known(value) : null);
  const sampled = recordOf(model, table.sampledRecord[index], "sampled");
  const call = recordOf(model, table.callRecord[index], "modCall");
  const adjusted = recordOf(model, table.adjustedRecord[index], "adjusted");
  const logprobBefore = number(table.logprobBefore[index]);
  return {
    index,
    token: model.leftOut.has("tokenIds") ? null : (table.token[index] ?? null),
    text: table.text[index] ?? "",
    kind,
    source,
    step: table.step[index] ?? 0,
    timeUs: model.leftOut.has("timings") ? null : (table.timeUs[index] ?? null),
    isInOutput: table.removedBy[index] === noIndex,
    removedBy: numbered(table.removedBy[index]),
    replaces: numbered(table.replaces[index]),
    mods: modsOf(model, index).map((mod) => modName(model, mod)),
    event: model.events[table.event[index] ?? noIndex]?.type ?? null,
    line: call?.line ?? null,
    logprobBefore,
    logprobAfter: number(table.logprobAfter[index]),
    probabilityBefore: logprobBefore === null ? null : Math.exp(logprobBefore),
    probability: number(table.probability[index]),
    entropyBefore: number(table.entropyBefore[index]),
    entropyAfter: number(table.entropyAfter[index]),
    ...distributionsOf(model, index),
    temperature: adjusted?.temperature ?? null,
    editsProbabilities: editedAt(model, index)?.editsProbabilities ?? false,
    counterfactual: table.counterfactual[index] ?? null,
    healed: sampled?.healed ?? null,
    steered: table.steered[index] ?? null,
    draw: model.leftOut.has("draws") ? null : (sampled?.draw ?? null),
    candidates: sampled?.candidates ?? null,
  };
}

/** The mods behind a token: the mod that forced it, or the mods that adjusted its logits. */
function modsOf(model: TraceModel, index: number): readonly number[] {
  const forcedBy = model.tokens.mod[index] ?? noIndex;
  return forcedBy === noIndex ? (editedAt(model, index)?.editedBy ?? []) : [forcedBy];
}

/** The event at which a token's logits were adjusted. */
function editedAt({ tokens, events }: TraceModel, index: number): EventItem | undefined {
  return tokens.adjustedRecord[index] === noIndex ? undefined : events[tokens.event[index] ?? noIndex];
}

function distributionsOf(model: TraceModel, index: number): Pick<TokenRow, "before" | "after"> {
  if (model.leftOut.has("probabilities")) return { before: null, after: null };
  const { tokens } = model;
  const forward = recordOf(model, tokens.forwardRecord[index], "forwardPass");
  const adjusted = recordOf(model, tokens.adjustedRecord[index], "adjusted");
  const scored = recordOf(model, tokens.scoredRecord[index], "scored");
  const scoredHere = scored?.distributions[index - (scored?.index ?? 0)];
  return { before: forward?.before ?? scoredHere ?? null, after: adjusted?.after ?? null };
}

/** The most UTF-16 units of a text that are quoted. */
const longestQuote = 200;

/** A text in quotes, with invisible characters shown; a long text is cut. */
export function quote(text: string): string {
  return isPartOfCharacter(text)
    ? partOfCharacter
    : `“${isolateDirection(showInvisibleCharacters(text, longestQuote))}”`;
}

const endOfText = "the end of the text";

/** Whether `token` is the end-of-sequence token that stands at an index. A record without token ids is judged by the text. */
export function isEndToken({ tokens, leftOut }: TraceModel, token: TraceToken, index: number): boolean {
  if (tokens.kind[index] !== "end") return false;
  return leftOut.has("tokenIds") ? /^(<[^<>\s]+>)?$/.test(token.text) : tokens.token[index] === token.token;
}

/** A counterfactual token in quotes; the end-of-sequence token, whose text is empty or a sign such as <s>, in words. */
export function quoteCounterfactual(model: TraceModel, token: TraceToken, replaces: number | null): string {
  const removed = model.spans[replaces ?? noIndex]?.removed.at(-1) ?? noIndex;
  return token.text === "" || isEndToken(model, token, removed) ? endOfText : quote(token.text);
}

/** The text of removed tokens in quotes; if only the end of the text was removed, this in words. */
export function quoteRemoved(model: TraceModel, removed: readonly number[]): string {
  const text = truncatedTextOf(model, removed);
  return text === "" && model.tokens.kind[removed.at(-1) ?? noIndex] === "end" ? endOfText : quote(text);
}

/**
 * Joins the texts of tokens, but stops a little after the length that `quote` shows. The text may be a whole answer, and this
 * function is called for each of its tokens.
 */
export function textToQuote(count: number, textAt: (place: number) => string | undefined): string {
  let text = "";
  for (let place = 0; place < count && text.length <= longestQuote; place += 1) text += textAt(place) ?? "";
  return text;
}

/** The text of some tokens, cut to the length of a quote. */
export function truncatedTextOf({ tokens }: TraceModel, indices: readonly number[]): string {
  return textToQuote(indices.length, (place) => tokens.text[indices[place] ?? noIndex]);
}
