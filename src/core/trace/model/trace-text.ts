/** A trace as text: the answer, a sentence for a token, a summary. For screen readers, copying and tests. */
import { formatNumber, formatProbability } from "../../base/number-text.ts";
import { partOfCharacter } from "../text/visible-text.ts";
import { indexOfHealingToken } from "./healed-by.ts";
import { kindLabels } from "./kind-labels.ts";
import { steeringLabel } from "./steered-labels.ts";
import type { TraceModel } from "./trace-model.ts";
import {
  quote,
  quoteCounterfactual,
  quoteRemoved,
  type TokenRow,
  tokenRow,
  truncatedTextOf,
} from "./trace-view.ts";

/** One sentence, for example: token 12, forced by no-dash in added(), 'Lily', 2.1%, would have been ' Tom'. */
export function describeToken(model: TraceModel, index: number): string {
  const row = tokenRow(model, index);
  const parts = [`token ${index + 1} of ${model.tokens.token.length}`, manner(row)];
  if (row.steered) parts.push(steeringLabel(model, row.steered));
  const noText = row.kind === "end" ? "end of sequence" : partOfCharacter;
  parts.push(row.text === "" ? noText : quote(row.text));
  if (row.probabilityBefore !== null) parts.push(formatProbability(row.probabilityBefore));
  if (row.temperature !== null && row.probability !== null) {
    parts.push(`${formatProbability(row.probability)} at temperature ${formatNumber(row.temperature)}`);
  } else if (row.logprobAfter !== null && row.logprobAfter !== row.logprobBefore) {
    parts.push(
      `${formatProbability(Math.exp(row.logprobAfter))} after ${row.healed ? "token healing" : "the mods"}`,
    );
  }
  const replaced = replacedText(model, row);
  const counterfactual = row.counterfactual && quoteCounterfactual(model, row.counterfactual, row.replaces);
  if (counterfactual !== null && counterfactual !== replaced) parts.push(`would have been ${counterfactual}`);
  if (replaced !== null) parts.push(`instead of ${replaced}`);
  if (row.removedBy !== null && isQuestion(model, row.removedBy)) parts.push("part of a question");
  else if (row.removedBy !== null) {
    parts.push(removal(model, row.removedBy));
  }
  return parts.join(", ");
}

function manner(row: TokenRow): string {
  const by = row.mods.length > 0 ? ` by ${row.mods.join(" and ")}` : "";
  const at = row.event && row.source !== "sampled" ? ` in ${row.event}()` : "";
  const what = kindLabels[row.kind === "end" ? row.source : row.kind];
  return `${what}${by}${at}`;
}

/** The text that a mod removed and this token replaces, in quotes; null for a token that replaces no text. */
function replacedText(model: TraceModel, { replaces }: TokenRow): string | null {
  return replaces === null || isQuestion(model, replaces)
    ? null
    : quoteRemoved(model, model.spans[replaces]?.removed ?? []);
}

function removal(model: TraceModel, number: number): string {
  const span = model.spans[number];
  if (span && indexOfHealingToken(model, span) !== null) return "removed by token healing";
  const put = replacementText(model, number);
  return put === "" ? "removed" : `removed and replaced with ${quote(put)}`;
}

const isQuestion = ({ spans }: TraceModel, span: number): boolean => spans[span]?.isQuestion === true;

/** The text of a removed span, cut to the length of a quote. */
export function removedSpanText(model: TraceModel, span: number): string {
  return truncatedTextOf(model, model.spans[span]?.removed ?? []);
}

/** The text that replaced a removed span, cut to the length of a quote. */
export function replacementText(model: TraceModel, span: number): string {
  return truncatedTextOf(model, model.spans[span]?.replacedBy ?? []);
}
