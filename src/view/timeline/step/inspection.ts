/** The content of the step inspector for one token, as data. Pure. */
import { formatNumber } from "../../../core/base/number-text.ts";
import type { TraceTopToken } from "../../../core/trace/format/format.ts";
import { isSilent } from "../../../core/trace/model/call-summary.ts";
import { indexOfHealingToken } from "../../../core/trace/model/healed-by.ts";
import { kindLabels } from "../../../core/trace/model/kind-labels.ts";
import { replacesCounterfactual } from "../../../core/trace/model/replaces-counterfactual.ts";
import { describeTokenSteering } from "../../../core/trace/model/steered-layers.ts";
import { noIndex } from "../../../core/trace/model/token-table.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { replacementText } from "../../../core/trace/model/trace-text.ts";
import {
  modName,
  quote,
  quoteCounterfactual,
  quoteRemoved,
  recordOf,
  type TokenRow,
  tokenRow,
} from "../../../core/trace/model/trace-view.ts";
import { formatProbability } from "../../ui/format.ts";
import { changedModsLabels } from "../branch-labels.ts";
import { probabilitiesInDraw } from "./sampled-probabilities.ts";
import { type MultiTokenWord, wordOfToken } from "./word-of-token.ts";

/** One token that could have come at this step. A probability is null if the token was not among the most likely then. */
export interface TopKToken {
  readonly token: number;
  readonly text: string;
  readonly before: number | null;
  /**
   * The probability after the mods. If a mod set a temperature for the step, the probability at that temperature, which is
   * that of the draw.
   */
  readonly after: number | null;
  readonly chosen: boolean;
  readonly counterfactual: boolean;
}

export interface StepInspection {
  readonly row: TokenRow;
  /** Whether the token is part of a question that a mod asked the model. */
  readonly isQuestion: boolean;
  /** The word of several tokens that the token is a part of. */
  readonly word: MultiTokenWord | null;
  /** Why this token is here, in one or two sentences. */
  readonly sentences: readonly string[];
  readonly topKTokens: readonly TopKToken[];
  /** The tags in the list of alternatives: of the token in the run, and of the counterfactual token. */
  readonly chosenTag: string;
  readonly counterfactualTag: string;
  readonly hasAfter: boolean;
  /** The temperature that a mod set for this step alone; null if no mod set one. */
  readonly temperature: number | null;
  /** Rank of the token before the mods, from 1; null if the token is not among the recorded ones. */
  readonly rank: number | null;
  readonly topCount: number;
  /** How many tokens top-k, top-p and min-p left beyond those in `alternatives`, since the record keeps only the most likely. */
  readonly unlisted: number;
  /** Numbers of the records of the calls, at the events of this token, that did or said something. */
  readonly calls: readonly number[];
}

export function inspectStep(trace: TraceModel, index: number): StepInspection {
  const row = tokenRow(trace, index);
  const token = trace.tokens.token[index] ?? noIndex;
  const isThisToken = (candidate: { token: number; text: string }) =>
    row.token === null ? candidate.text === row.text : candidate.token === token;
  const topKTokens = topKTokensOf(trace, row, isThisToken);
  const rank = row.before ? row.before.top.findIndex(isThisToken) + 1 || null : null;
  return {
    row,
    isQuestion: trace.spans[row.removedBy ?? noIndex]?.isQuestion === true,
    word: wordOfToken(trace, index),
    sentences: reasonSentences(trace, row),
    topKTokens,
    chosenTag: chosenTag(row),
    counterfactualTag: counterfactualTag(trace, row),
    hasAfter: row.after !== null,
    temperature: row.temperature,
    rank,
    topCount: row.before?.top.length ?? 0,
    unlisted: unlistedOf(row, topKTokens),
    calls: callsAt(trace, index),
  };
}

function topKTokensOf(
  trace: TraceModel,
  row: TokenRow,
  isThisToken: (candidate: { token: number; text: string }) => boolean,
): readonly TopKToken[] {
  const key = (candidate: { token: number; text: string }) =>
    candidate.token >= 0 ? String(candidate.token) : `text ${candidate.text}`;
  const found = new Map<string, { -readonly [Key in keyof TopKToken]: TopKToken[Key] }>();
  const collect = (
    top: readonly TraceTopToken[],
    when: "before" | "after",
    probabilities: readonly (number | null)[],
  ) => {
    top.forEach((candidate, place) => {
      const entry = found.get(key(candidate)) ?? {
        token: candidate.token,
        text: candidate.text,
        before: null,
        after: null,
        chosen: isThisToken(candidate),
        counterfactual: row.counterfactual !== null && key(row.counterfactual) === key(candidate),
      };
      entry[when] = probabilities[place] ?? null;
      found.set(key(candidate), entry);
    });
  };
  const before = row.before?.top ?? [];
  const after = row.after?.top ?? [];
  collect(before, "before", before.map(probabilitiesOf));
  collect(
    after,
    "after",
    temperedProbabilities(trace, row, after, after.findIndex(isThisToken)) ?? after.map(probabilitiesOf),
  );
  const list = [...found.values()];
  if (!list.some(({ chosen }) => chosen) && list.length > 0) {
    const exp = (logprob: number | null) => (logprob === null ? null : Math.exp(logprob));
    list.push({
      token: row.token ?? noIndex,
      text: row.text,
      before: exp(row.logprobBefore),
      after: row.after && (row.temperature === null ? exp(row.logprobAfter) : row.probability),
      chosen: true,
      counterfactual: false,
    });
  }
  return list;
}

/** "≈ " if the record has rounded numbers (an entropy of 4 bits may be wrong by 0.3), otherwise "". */
export const aboutSign = (trace: TraceModel): string => (trace.leftOut.has("exactNumbers") ? "≈ " : "");

function chosenTag({ source, kind }: TokenRow): string {
  if (source === "sampled") return "chosen";
  return kindLabels[kind === "end" ? source : kind];
}

function counterfactualTag(trace: TraceModel, row: TokenRow): string {
  if (row.healed) return "without healing";
  return replacesCounterfactual(trace, row) ? "removed" : "without mods";
}

function unlistedOf({ candidates, before, after }: TokenRow, topKTokens: readonly TopKToken[]): number {
  const drawnFrom = (after ?? before)?.top.length ?? 0;
  if (candidates === null || drawnFrom === 0) return 0;
  const listed = topKTokens.filter((each) => (after ? each.after : each.before) !== null).length;
  return Math.max(0, candidates - Math.max(drawnFrom, listed));
}

const probabilitiesOf = ({ logprob }: TraceTopToken): number => Math.exp(logprob);

/** The probabilities at the temperature that a mod set for this step; null if no mod set one. */
function temperedProbabilities(
  trace: TraceModel,
  { temperature, probability, candidates }: TokenRow,
  top: readonly TraceTopToken[],
  drawn: number,
): readonly (number | null)[] | null {
  const { request } = trace;
  if (temperature === null || !request) return null;
  if (probability === null || candidates === null) return top.map(() => null);
  return probabilitiesInDraw({
    top,
    temperature,
    drawn,
    probability,
    candidates,
    sampling: request.sampling,
  });
}

/** Whether the user chose this token: the first token of a branch, if the branch began with another token. */
export function isChosenByUser({ request, tokens }: TraceModel, index: number): boolean {
  return request?.branch?.index === index && request.branch.isChosen && tokens.source[index] === "sampled";
}

function reasonSentences(trace: TraceModel, row: TokenRow): readonly string[] {
  const modNames = row.mods.join(" and ");
  const eventText = row.event ? ` in ${row.event}()` : "";
  const branch = trace.request?.branch;
  const sentences = [
    isChosenByUser(trace, row.index)
      ? "Chosen by you: this run branches off here."
      : originSentence(row, modNames, eventText),
  ];
  if (row.steered) sentences.push(describeTokenSteering(trace, row.steered));
  if (branch && row.index < branch.index) sentences.push("Copied from the run that this run branched from.");
  const modChange = branch?.difference ? changedModsLabels(trace) : null;
  if (modChange?.index === row.index) sentences.push(modChange.sentence, modChange.detail);
  const probability = row.before?.top.find(({ text }) => text === row.counterfactual?.text)?.logprob;
  const probabilityNote =
    probability === undefined ? "" : ` (${aboutSign(trace)}${formatProbability(Math.exp(probability))})`;
  const modelWroteRemoved = replacesCounterfactual(trace, row);
  if (row.replaces !== null && !trace.spans[row.replaces]?.isQuestion) {
    const removed = trace.spans[row.replaces]?.removed ?? [];
    const isOne = removed.length === 1;
    const note = isOne ? probabilityNote : "";
    const author = modelWroteRemoved ? `, which the model wrote${note}` : "";
    sentences.push(`This token replaces ${quoteRemoved(trace, removed)}${author}.`);
  }
  if (row.counterfactual && !modelWroteRemoved) {
    const subject = row.healed ? "Without token healing the model" : "The model";
    const counterfactual = quoteCounterfactual(trace, row.counterfactual, row.replaces);
    sentences.push(`${subject} would have written ${counterfactual}${probabilityNote}.`);
  }
  if (row.removedBy !== null) {
    sentences.push(removalSentence(trace, row.removedBy));
  }
  return sentences;
}

function removalSentence(trace: TraceModel, number: number): string {
  const span = trace.spans[number];
  const by = modName(trace, span?.mod ?? 0);
  if (span?.isQuestion) return `Part of a question from ${by}; the question is not in the output.`;
  const healing = span ? indexOfHealingToken(trace, span) : null;
  if (healing !== null) {
    const chosen = trace.tokens.text[healing] ?? "";
    return `Removed by token healing: the model chose ${quote(chosen)}.`;
  }
  const replacement = replacementText(trace, number);
  return `Removed by ${by}${replacement ? `, which put ${quote(replacement)} in its place` : ""}.`;
}

function originSentence(row: TokenRow, modNames: string, eventText: string): string {
  const isEnd = row.kind === "end";
  if (row.kind === "moved")
    return `The model’s answer to a question, inserted by ${modNames || "a mod"}${eventText}.`;
  if (row.source === "sampled") return choiceSentence(row, modNames || "a mod", eventText);
  if (row.source === "reinjected" && row.replaces !== null)
    return `Replacement by ${modNames || "a mod"}${eventText}: the model did not choose it.`;
  return `${isEnd ? "The end was forced" : "Forced"} by ${modNames || "a mod"}${eventText}: the model did not choose it.`;
}

/** A sentence that says how a sampled token came: freely, from adjusted probabilities, or at a temperature that a mod set. */
function choiceSentence(row: TokenRow, modNames: string, eventText: string): string {
  if (row.healed) return `Chosen by the model to complete ${quote(row.healed.text)} (token healing).`;
  const what = row.kind === "end" ? "The model ended the text here" : "Chosen by the model";
  if (row.after === null && row.kind !== "adjusted") return `${what}.`;
  const set = row.temperature === null ? null : `set the temperature to ${formatNumber(row.temperature)}`;
  const did = [row.editsProbabilities && "adjusted the probabilities", set].filter(Boolean).join(" and ");
  return row.counterfactual
    ? `${what} after ${modNames} ${did}${eventText}.`
    : `${what}; ${modNames} ${did}${eventText}, which did not change the choice.`;
}

/** The mod calls that concern the token: from the forward pass before it to the event at which it was removed. */
function callsAt(trace: TraceModel, index: number): readonly number[] {
  const { tokens, spans, events } = trace;
  const numbers = new Set<number>();
  const addEvent = (number: number | null | undefined) => {
    if (number !== null && number !== undefined && number !== noIndex) numbers.add(number);
  };
  addEvent(tokens.event[index]);
  const removed = spans[tokens.removedBy[index] ?? noIndex];
  addEvent(removed?.event);
  for (let number = firstEventOf(trace, index); number < events.length; number += 1) {
    const event = events[number];
    const record = event?.record == null ? null : trace.records[event.record];
    const isOwnAddition =
      record?.type === "added" && record.index <= index && index < record.index + record.tokens.length;
    if (isOwnAddition || event?.record === tokens.sampledRecord[index]) numbers.add(number);
    if (record?.type === "added" && record.index > index) break;
  }
  return [...numbers]
    .sort((a, b) => a - b)
    .flatMap((number) => (events[number]?.calls ?? []).filter((call) => saysSomething(trace, call)));
}

function saysSomething(trace: TraceModel, record: number): boolean {
  const call = recordOf(trace, record, "modCall");
  return call !== null && !isSilent(call);
}

/**
 * Number of the event at which the search for the token's events starts, so that a long run is not searched from its
 * beginning.
 */
function firstEventOf(trace: TraceModel, index: number): number {
  const event = trace.tokens.event[index] ?? noIndex;
  return event === noIndex ? 0 : event;
}
