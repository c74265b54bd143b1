/** Describes each mod's changes in a run in one sentence per mod: "swap-name replaced “Lily” with “Max” twice." Pure. */
import { countWithNoun, formatCount, joinNames } from "../../../core/base/number-text.ts";
import type { ModCallRecord } from "../../../core/trace/format/format.ts";
import { indexOfHealingToken } from "../../../core/trace/model/healed-by.ts";
import { questionText } from "../../../core/trace/model/question-text.ts";
import { noIndex } from "../../../core/trace/model/token-table.ts";
import type { RemovedSpan } from "../../../core/trace/model/trace-items.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { removedSpanText, replacementText } from "../../../core/trace/model/trace-text.ts";
import { modName, textToQuote } from "../../../core/trace/model/trace-view.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { promptRewriters } from "../prompt-rewriters.ts";
import {
  type Authorship,
  changedTokenMarks,
  type ModShare,
  nextMarkedToken,
} from "../ribbon/ribbon-cells.ts";
import { unchangedSentence } from "./unchanged-sentence.ts";

/** The most mods that get a sentence. */
const mostMods = 6;
/** The most removed spans that are read, because a run may have thousands. */
const mostSpans = 2_000;
/** The most UTF-16 units of a quoted text. */
const longestQuote = 40;
const longestReason = 120;
/** Words before a passage, by which the reader finds it: their number, and how many UTF-16 units before it are read. */
const wordsOfPlace = 3;
const longestPlace = 30;

/**
 * A sentence for each of the first six mods, in order; empty if the run had no mods. After a run that failed, only for mods that
 * changed something: most mods had no time to act.
 */
export function modSentences(trace: TraceModel, { shares }: Authorship): readonly string[] {
  const mods = trace.request?.mods ?? [];
  const rewriters = promptRewriters(trace);
  const hasFailed = trace.finished?.reason === "error";
  return mods.slice(0, mostMods).flatMap((_mod, number) => {
    const name = modName(trace, number);
    const share = shares.find(({ mod }) => mod === number);
    const acts = [
      ...(rewriters.includes(name) ? ["rewrote the prompt"] : []),
      ...spanActs(trace, number),
      ...writingActs(trace, number),
      ...(share ? otherActs(share) : []),
      ...healingActs(trace, number),
    ];
    if (acts.length === 0) return hasFailed ? [] : unchangedSentence(trace, number, share);
    return withoutSecondStop(`${name} ${joinNames(acts)}.`) + reasonOf(trace, number);
  });
}

/** A quoted sentence has its own full stop. */
const withoutSecondStop = (sentence: string) => sentence.replace(/([.!?…]\u2069”)\.$/, "$1");

/** The mod's own words on its first act, if the mod logged a message there. */
function reasonOf(trace: TraceModel, mod: number): string {
  const first = trace.tokens.mod.findIndex((by, index) => by === mod && callAt(trace, index) !== null);
  const logged = quoted(callAt(trace, first)?.console[0]?.text ?? "", longestReason);
  return logged === "" ? "" : ` ${withoutSecondStop(`The mod logged: ${logged}.`)}`;
}

function callAt({ tokens, records }: TraceModel, index: number): ModCallRecord | null {
  const record = records[tokens.callRecord[index] ?? noIndex];
  return record?.type === "modCall" ? record : null;
}

/** Whether the text has a word that a mod marked. */
export function hasMarkedWord(trace: TraceModel): boolean {
  return nextMarkedToken(trace, -1, 1, (mark) => changedTokenMarks.has(mark)) !== null;
}

function spanActs(trace: TraceModel, mod: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const span of trace.spans.slice(0, mostSpans)) {
    if (span.mod !== mod || indexOfHealingToken(trace, span) !== null) continue;
    if (span.isQuestion && quoted(removedSpanText(trace, span.number)) === "") continue;
    const act = span.isQuestion ? questionAct(trace, span.number) : removalAct(trace, span);
    counts.set(act, (counts.get(act) ?? 0) + 1);
  }
  const acts = [...counts].sort(([, one], [, other]) => other - one);
  const named = acts.slice(0, 2).map(([act, count]) => act + times(count));
  const others = acts.slice(2).reduce((sum, [, count]) => sum + count, 0);
  return others > 0 ? [...named, `changed ${countWithNoun(others, "other passage")}`] : named;
}

/** replaced “Lily” with “Max” */
function removalAct(trace: TraceModel, span: RemovedSpan): string {
  const removed = quoted(removedSpanText(trace, span.number)) || invisibleText(trace, span);
  const put = quoted(replacementText(trace, span.number));
  return put === "" ? `removed ${removed}` : `replaced ${removed} with ${put}`;
}

/** A name for removed tokens without visible text. */
function invisibleText({ tokens }: TraceModel, { removed }: RemovedSpan): string {
  const hasEnd = removed.some((index) => tokens.kind[index] === "end");
  return hasEnd ? "the model’s end token" : "spaces or line breaks";
}

/** asked “Mood:” → “happy” */
function questionAct(trace: TraceModel, span: number): string {
  const { asked, answer } = questionText(trace, span);
  if (asked === "") return `asked the model for ${quoted(answer)}`;
  return `asked ${quoted(asked)} → ${quoted(answer) || "no answer"}`;
}

function otherActs({ adjusted, steered }: ModShare): readonly string[] {
  return [
    ...(adjusted > 0
      ? [`changed the probabilities, so that ${countWithNoun(adjusted, "token")} came out differently`]
      : []),
    ...(steered > 0 ? [`steered the model at ${countWithNoun(steered, "token")}`] : []),
  ];
}

function writingActs(trace: TraceModel, mod: number): readonly string[] {
  const written = forcedText(trace, mod);
  return written === "" ? [] : [`wrote ${written}`];
}

/** The first passage that a mod wrote without removing anything, and how many tokens it wrote later; "" if there is none. */
function forcedText(trace: TraceModel, mod: number): string {
  const { tokens, spans } = trace;
  const count = tokens.text.length;
  const isWritten = (index: number) => {
    if (tokens.kind[index] !== "forced" || tokens.mod[index] !== mod) return false;
    const replaces = tokens.replaces[index] ?? noIndex;
    const span = spans[tokens.removedBy[index] ?? noIndex];
    // A text whose end token healing completed still counts as written.
    const isTaken = span !== undefined && indexOfHealingToken(trace, span) === null;
    const isOwn = replaces === noIndex || spans[replaces]?.isQuestion === true;
    return isOwn && !isTaken;
  };
  let first = 0;
  while (first < count && !isWritten(first)) first += 1;
  let end = first;
  while (end < count && isWritten(end)) end += 1;
  let others = 0;
  for (let index = end; index < count; index += 1) if (isWritten(index)) others += 1;
  if (first === count) return "";
  const text = quoted(textToQuote(end - first, (place) => tokens.text[first + place]));
  const place = placeOf(trace, first);
  return others > 0
    ? `${text} ${place} and ${countWithNoun(others, "more token")} later`
    : `${text} ${place}`;
}

/** after “…share with them.” */
function placeOf({ tokens }: TraceModel, index: number): string {
  let before = "";
  for (let at = index - 1; at >= 0 && before.trim().length < longestPlace; at -= 1)
    if (tokens.removedBy[at] === noIndex) before = `${tokens.text[at]}${before}`;
  const words = before.trim().split(/\s+/).slice(-wordsOfPlace).join(" ");
  const place = quoted(words);
  return place === "" ? "at the start" : `after ${place}`;
}

/** let the model complete “Fran”, which gave “France” */
function healingActs(trace: TraceModel, mod: number): readonly string[] {
  const healed = trace.spans
    .slice(0, mostSpans)
    .filter((span) => span.mod === mod && indexOfHealingToken(trace, span) !== null);
  const shown = healed.find(({ number }) => quoted(removedSpanText(trace, number)) !== "");
  if (!shown) return [];
  const begun = quoted(removedSpanText(trace, shown.number));
  const word = quoted(trace.tokens.text[indexOfHealingToken(trace, shown) ?? noIndex] ?? "");
  const others = healed.length > 1 ? ` and ${countWithNoun(healed.length - 1, "other word")}` : "";
  return [`let the model complete ${begun}, which gave ${word}${others}`];
}

function times(count: number): string {
  if (count === 1) return "";
  return count === 2 ? " twice" : ` ${formatCount(count)} times`;
}

/** "" for a text without visible characters. */
function quoted(text: string, most = longestQuote): string {
  const shown = showInvisibleCharacters(text.trim(), most);
  return shown === "" ? "" : `“\u2068${shown}\u2069”`;
}
