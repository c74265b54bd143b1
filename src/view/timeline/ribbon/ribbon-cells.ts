/**
 * The cells of the ribbon, from the trace: one cell per token, in the order of emission, removed tokens too. Also the
 * authorship: how many tokens each mod changed, and how many are the model's own. Pure.
 *
 * Example: the model writes "Once there". Mod 1 adjusts the probabilities: " a" comes instead of " the". Mod 0 removes " cat"
 * and puts " dog" in its place. Mod 1 forces " ran" and ".". The seven cells, with their marks:
 *
 *     Once   there   a          cat       dog          ran      .
 *     plain  plain   adjusted   removed   reinjected   forced   forced
 *
 * " a" has the counterfactual "the". " cat" has `span` 0; " dog" has `replaces` 0 and `arrives`. " ran" and "." are one group:
 * `first` is true for " ran", and `last` for ".". Authorship: 6 tokens in the output, 2 of them the model's own; mod 0 has 1
 * removed and 1 reinjected; mod 1 has 1 adjusted and 2 forced. The run opens with " a" selected, the first changed token.
 *
 * - Neighbouring cells form a group (`groupOf`) if they are drawn as one. The search for the next mark counts a group once.
 * - A token of a question that a mod asked the model is `asked`, even if its span is removed: `asked` goes before `removed`.
 * - A token whose probabilities were adjusted is `same` if the mod did not change which token came.
 */
import { indexOfHealingToken } from "../../../core/trace/model/healed-by.ts";
import { isHidden } from "../../../core/trace/model/questions.ts";
import { type Selection, selectToken, type TokenRange } from "../../../core/trace/model/selection.ts";
import { noIndex, type TokenKind } from "../../../core/trace/model/token-table.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { removedSpanText } from "../../../core/trace/model/trace-text.ts";
import { isPartOfCharacter, partOfCharacter } from "../../../core/trace/text/visible-text.ts";
import { type CounterfactualWidth, counterfactualWidth } from "./counterfactuals.ts";

/**
 * How a cell is marked. If a mod adjusted the probabilities: `adjusted` if another token came out because of that, `same` if
 * not. `asked`: part of a question that a mod asked the model. `moved`: text of a question that was moved into the output.
 */
export type TokenMark = "plain" | "same" | "asked" | "removed" | Exclude<TokenKind, "sampled">;

export interface TokenCell {
  readonly index: number;
  readonly mark: TokenMark;
  /** White space before the word, drawn apart so that marks and counterfactuals stay with the word when the line wraps. */
  readonly lead: string;
  readonly word: string;
  /** The counterfactual token, which would have come without the mods, as it is shown above the word; null if none is shown. */
  readonly counterfactual: string | null;
  readonly counterfactualWidth: CounterfactualWidth;
  /** Whether the cell is the first (or last) of its group (`groupOf`). An adjusted token is a group of its own. */
  readonly first: boolean;
  readonly last: boolean;
  /** Number of the removed span that has the token, and number of the removed span that the token replaces. */
  readonly span: number | null;
  readonly replaces: number | null;
  /** True for the first token that replaces a removed span, if the removed tokens stand directly before it. */
  readonly arrives: boolean;
  /** Whether mods steered the model while it chose the word. */
  readonly isSteered: boolean;
  /** True for a part of a question whose whole text stands in the output again. */
  readonly isRepeated: boolean | undefined;
  /** Level of surprise, from 0 (expected) to 4 (very surprising); null if unknown. */
  readonly surprise: number | null;
}

export const cellsPerChunk = 48;

function markOf(trace: TraceModel, index: number): TokenMark {
  const { kind, removedBy, counterfactual } = trace.tokens;
  const span = removedBy[index] ?? noIndex;
  // A question that is still being asked has no span yet, but its tokens are hidden.
  if (span === noIndex ? isHidden(trace, index) : trace.spans[span]?.isQuestion) return "asked";
  if (span !== noIndex) return "removed";
  const tokenKind: TokenKind = kind[index] ?? "sampled";
  if (tokenKind === "sampled") return "plain";
  if (tokenKind === "adjusted") return counterfactual[index] ? "adjusted" : "same";
  return tokenKind;
}

/** The cells from `start` to before `end`. */
export function cellsOf(trace: TraceModel, start: number, end: number): readonly TokenCell[] {
  const cells: TokenCell[] = [];
  for (let index = start; index < end; index += 1) cells.push(cellOf(trace, index));
  return cells;
}

function cellOf(trace: TraceModel, index: number): TokenCell {
  const { text, removedBy, replaces } = trace.tokens;
  const tokenText = text[index] ?? "";
  const lead = tokenText.trim() === "" ? "" : (/^ */.exec(tokenText)?.[0] ?? "");
  const group = groupOf(trace, index);
  const mark = markOf(trace, index);
  const counterfactual = isOutsideOutput(mark) ? null : counterfactualText(trace, index);
  return {
    index,
    mark,
    lead,
    word: tokenText.slice(lead.length),
    counterfactual,
    counterfactualWidth:
      counterfactual === null
        ? "none"
        : counterfactualWidth(counterfactual, textToNextCounterfactual(trace, index), mark === "adjusted"),
    first: index === 0 || groupOf(trace, index - 1) !== group,
    last: groupOf(trace, index + 1) !== group,
    span: spanNumber(removedBy[index]),
    arrives: arrivesAt(trace, index),
    replaces: spanNumber(replaces[index]),
    isSteered: trace.tokens.steered[index] != null,
    isRepeated: trace.spans[removedBy[index] ?? noIndex]?.isRepeated,
    surprise: surpriseOf(trace, index),
  };
}

/** Whether the token is not part of the output. */
const isOutsideOutput = (mark: TokenMark): mark is "removed" | "asked" =>
  mark === "removed" || mark === "asked";

function arrivesAt(trace: TraceModel, index: number): boolean {
  const { replaces, removedBy } = trace.tokens;
  const span = replaces[index] ?? noIndex;
  return span !== noIndex && removedBy[index - 1] === span && replaces[index - 1] !== span;
}

const spanNumber = (value: number | undefined): number | null =>
  value === undefined || value === noIndex ? null : value;

function groupOf(trace: TraceModel, index: number): string {
  const { kind, removedBy, mod, replaces, callRecord } = trace.tokens;
  if (kind[index] === undefined) return "";
  const mark = markOf(trace, index);
  if (isOutsideOutput(mark)) return `${mark} ${removedBy[index]}`;
  // Each adjusted token is a group of its own, because each was drawn on its own.
  if (mark === "adjusted" || mark === "same") return `${mark} ${index}`;
  return `${mark} ${mod[index]} ${replaces[index]} ${callRecord[index]}`;
}

/** The text of the counterfactual; null if the same text came out. */
function counterfactualText(trace: TraceModel, index: number): string | null {
  const counterfactual = trace.tokens.counterfactual[index];
  if (!counterfactual || counterfactual.text === trace.tokens.text[index]) return null;
  // The same text is struck out directly before this word, so it is not shown above the word again.
  if (
    arrivesAt(trace, index) &&
    removedSpanText(trace, trace.tokens.replaces[index] ?? noIndex) === counterfactual.text
  )
    return null;
  if (isPartOfCharacter(counterfactual.text)) return partOfCharacter;
  return counterfactual.text.trim() === ""
    ? counterfactual.text.replaceAll("\n", "↵").replaceAll(" ", "␣") || "¶"
    : counterfactual.text.trim();
}

const longestOverlap = 40;

/** The text from a token to the next token with a counterfactual; null if the next one is too far away for the two to overlap. */
function textToNextCounterfactual(trace: TraceModel, index: number): string | null {
  const { text } = trace.tokens;
  let between = (text[index] ?? "").trimStart();
  for (let next = index + 1; next < text.length && between.length < longestOverlap; next += 1) {
    if (!isOutsideOutput(markOf(trace, next)) && counterfactualText(trace, next) !== null) return between;
    between += text[next] ?? "";
  }
  return null;
}

/** The surprisal in bits from which on a word is shaded darker: for p of at most 1/2, 1/8, 1/32, 1/128. */
const surpriseSteps = [1, 3, 5, 7];

function surpriseOf(trace: TraceModel, index: number): number | null {
  if (trace.leftOut.has("probabilities")) return null;
  const logprob = trace.tokens.logprobBefore[index];
  if (logprob === undefined || Number.isNaN(logprob)) return null;
  const bits = -logprob / Math.LN2;
  return surpriseSteps.filter((step) => bits >= step).length;
}

/**
 * A number that changes whenever a chunk has to be drawn again: when the chunk grew, when tokens in it were removed or scored,
 * and when the run ended.
 */
export function chunkRevision(trace: TraceModel, start: number): number {
  const { removedBy, scoredRecord, text } = trace.tokens;
  const end = Math.min(start + cellsPerChunk + 1, text.length);
  let revision = end + (trace.finished ? 1e9 : 0);
  for (let index = start; index < end; index += 1) {
    const span = removedBy[index] ?? noIndex;
    revision += (span + 1) * 7919 * (index - start + 1) + (trace.spans[span]?.isQuestion ? 31 : 0);
    revision += (scoredRecord[index] ?? noIndex) === noIndex ? 0 : 104_729;
  }
  return revision;
}

/** How many tokens one mod changed, by the kind of change. */
export interface ModShare {
  readonly mod: number;
  readonly forced: number;
  readonly reinjected: number;
  readonly adjusted: number;
  /** Tokens whose probabilities the mod adjusted although the same token came out. They count as the model's own. */
  readonly same: number;
  /** Number of removed tokens, without tokens that token healing took back. */
  readonly removed: number;
  /** Tokens of questions, which are no part of the output, and tokens of the output that repeat them. */
  readonly asked: number;
  readonly moved: number;
  /** Tokens in the output that the model chose while the mod steered it. The other counts include these tokens too. */
  readonly steered: number;
}

export interface Authorship {
  /** Tokens in the output, without the end of the sequence. */
  readonly output: number;
  /** How many of these tokens the model chose as it would have without any mod, or in a question of a mod. */
  readonly own: number;
  /** How many tokens the model chose in questions and not in the output. */
  readonly answered: number;
  readonly shares: readonly ModShare[];
}

/** Cached authorship of whole traces, with the number of records that were counted, because a trace grows in place. */
const counted = new WeakMap<TraceModel, { readonly records: number; readonly authorship: Authorship }>();

/** The authorship of a range of tokens. Without a range: of the whole trace, counted once for everything that shows it. */
export function authorshipOf(trace: TraceModel, range?: TokenRange): Authorship {
  if (range) return countAuthorship(trace, range);
  const records = trace.records.length;
  const known = counted.get(trace);
  if (known?.records === records) return known.authorship;
  const authorship = countAuthorship(trace, { first: 0, end: trace.tokens.text.length });
  counted.set(trace, { records, authorship });
  return authorship;
}

function countAuthorship(trace: TraceModel, { first, end }: TokenRange): Authorship {
  const shares = new Map<number, ReturnType<typeof noShare>>();
  const shareOf = (mod: number) => {
    const share = shares.get(mod) ?? noShare(mod);
    shares.set(mod, share);
    return share;
  };
  const { removedBy, source, mod } = trace.tokens;
  let output = 0;
  let own = 0;
  let moved = 0;
  let answered = 0;
  for (let index = first; index < Math.min(end, trace.tokens.text.length); index += 1) {
    const mark = markOf(trace, index);
    if (mark === "end") continue;
    if (isOutsideOutput(mark)) {
      const span = trace.spans[removedBy[index] ?? noIndex];
      if (!span || indexOfHealingToken(trace, span) === null) shareOf(span?.mod ?? 0)[mark] += 1;
      if (mark === "asked" && source[index] === "sampled") answered += 1;
      continue;
    }
    output += 1;
    if (mark === "moved") moved += 1;
    if (mark === "plain" || mark === "same") own += 1;
    for (const mod of steeringMods(trace, index)) shareOf(mod).steered += 1;
    if (mark === "plain") continue;
    const isEdit = mark === "adjusted" || mark === "same";
    shareOf(isEdit ? adjustingMod(trace, index) : (mod[index] ?? 0))[mark] += 1;
  }
  // Tokens that repeat text of a question count as chosen by the model, up to the number of tokens that it chose in questions.
  const chosen = Math.min(moved, answered);
  return {
    output,
    own: own + chosen,
    answered: answered - chosen,
    shares: [...shares.values()].sort((a, b) => a.mod - b.mod),
  };
}

const noShare = (mod: number): { -readonly [Key in keyof ModShare]: ModShare[Key] } => ({
  mod,
  forced: 0,
  reinjected: 0,
  adjusted: 0,
  same: 0,
  removed: 0,
  asked: 0,
  moved: 0,
  steered: 0,
});

/** The mods that steered or patched the pass from which the token was drawn. */
export function steeringMods({ tokens }: TraceModel, index: number): ReadonlySet<number> {
  const steering = tokens.steered[index];
  return steering ? new Set([...steering.mods, ...steering.patches].map(({ mod }) => mod)) : noMods;
}

const noMods: ReadonlySet<number> = new Set();

/**
 * If a larger share of the output has the mark `same`, nearly every word would be marked, and the words that mods changed
 * would be hard to find.
 */
const frequentShare = 0.2;

/** Whether so many adjusted tokens came out the same (`frequentShare`) that only words that became different are marked. */
export function shouldHideSameMarks({ output, shares }: Authorship): boolean {
  return shares.reduce((sum, { same }) => sum + same, 0) > frequentShare * output;
}

/** The last mod that edited the logits of an adjusted token. */
export function adjustingMod(trace: TraceModel, index: number): number {
  return trace.events[trace.tokens.event[index] ?? noIndex]?.editedBy.at(-1) ?? 0;
}

/**
 * The next token after `from` (or before it) with one of these marks, wrapping round; null if there is none. A group
 * of cells counts once, by its first cell.
 */
export function nextMarkedToken(
  trace: TraceModel,
  from: number,
  direction: 1 | -1,
  wanted: (mark: TokenMark, index: number) => boolean,
  continuesGroup = (index: number) => groupOf(trace, index - 1) === groupOf(trace, index),
): number | null {
  const count = trace.tokens.text.length;
  for (let distance = 1; distance <= count; distance += 1) {
    const index = (from + direction * distance + count * 2) % count;
    if (wanted(markOf(trace, index), index) && (index === 0 || !continuesGroup(index))) return index;
  }
  return null;
}

/** The first token of the next stretch that the mod steered. */
export function nextSteeredToken(trace: TraceModel, from: number, mod: number): number | null {
  const steers = (index: number) => steeringMods(trace, index).has(mod);
  return nextMarkedToken(
    trace,
    from,
    1,
    (mark, index) => !isOutsideOutput(mark) && steers(index),
    (index) => steers(index - 1),
  );
}

/** Marks of words that a mod changed, or that belong to a mod's question. */
export const changedTokenMarks: ReadonlySet<TokenMark> = new Set<TokenMark>([
  "adjusted",
  "forced",
  "reinjected",
  "removed",
  "asked",
  "moved",
]);

/** The selection with which a run opens: the token at which it branches off, or else the first token by which a mod changed the words. */
export function openingSelection(trace: TraceModel): Selection | null {
  const branch = trace.request?.branch?.index ?? noIndex;
  if (branch !== noIndex && branch < trace.tokens.text.length) return selectToken(branch);
  // Questions whose text comes again are skipped: they are folded, and a selection would unfold them.
  const isFirst = (mark: TokenMark, index: number) =>
    changedTokenMarks.has(mark) && !cellOf(trace, index).isRepeated;
  const first = nextMarkedToken(trace, -1, 1, isFirst);
  return first === null ? null : selectToken(first);
}
