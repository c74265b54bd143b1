/** Metrics of two recorded requests side by side: sums, probabilities of tokens, and settings. Pure. */

import { textOfMessage } from "../../base/message-text.ts";
import type { FieldsOf } from "../../base/request-fields.ts";
import { samplingNames, samplingNumbers } from "../../base/sampling.ts";
import type { FinishedRecord } from "../format/format.ts";
import type { RequestRecord, TraceDeadlines, TraceMessage } from "../format/format-request.ts";
import { ownMods } from "../format/request-mods.ts";
import type { TraceModel } from "../model/trace-model.ts";
import { traceSummary } from "../model/trace-summary.ts";
import type { Comparison, PlaceRange, Side } from "./comparison.ts";

/** Metrics of one run; null if unknown or left out. */
export interface RunMetrics {
  /** Tokens in the output, without the end-of-sequence token. */
  readonly tokens: number;
  readonly removed: number;
  /** Tokens of hidden questions and of their answers. */
  readonly asked: number;
  /** Sum of the surprisal, in bits, of the output tokens with known probabilities; and the number of these tokens. */
  readonly surprisal: number | null;
  readonly scored: number;
  /** How often a mod changed something or failed. */
  readonly interventions: number;
  readonly forwardPasses: number;
  /** Microseconds, prompt and output together. */
  readonly timeUs: number | null;
  readonly finishReason: FinishedRecord["reason"] | null;
}

export function runMetrics(model: TraceModel): RunMetrics {
  const { tokens, outputTokens, finished } = model;
  const { removed, asked, interventions, forwardPasses, prefillUs, decodeUs } = traceSummary(model);
  let surprisal = 0;
  let scored = 0;
  for (const index of outputTokens) {
    const logprob = logprobOf(model, index);
    if (logprob === null) continue;
    surprisal -= logprob / Math.LN2;
    scored += 1;
  }
  return {
    tokens: outputTokens.filter((index) => tokens.kind[index] !== "end").length,
    removed,
    asked,
    surprisal: scored === 0 ? null : surprisal,
    scored,
    interventions,
    forwardPasses,
    timeUs: prefillUs === null || decodeUs === null ? null : prefillUs + decodeUs,
    finishReason: finished?.reason ?? null,
  };
}

/** Natural log-probability that the model gave to an emitted token, before any mod; null if unknown or left out. */
export function logprobOf({ tokens, leftOut }: TraceModel, index: number): number | null {
  const logprob = leftOut.has("probabilities") ? undefined : tokens.logprobBefore[index];
  return logprob === undefined || Number.isNaN(logprob) ? null : logprob;
}

/** The sum of the log-probabilities of the tokens of a range; null if one of them is unknown, and for an empty range. */
export function sumLogprobsOfPlaces(
  model: TraceModel,
  comparison: Comparison,
  side: Side,
  { first, end }: PlaceRange,
): number | null {
  let sum = 0;
  for (let place = first; place < end; place += 1) {
    const logprob = logprobOf(model, comparison[side][place] ?? -1);
    if (logprob === null) return null;
    sum += logprob;
  }
  return first === end ? null : sum;
}

/**
 * How many of each output's tokens are also in the other output. Equal text in different tokens counts by the tokens of each
 * output.
 */
export interface SharedTokenCounts {
  readonly differences: number;
  readonly same: Readonly<Record<Side, number>>;
  readonly own: Readonly<Record<Side, number>>;
}

export function countSharedTokens({ segments }: Comparison): SharedTokenCounts {
  const same = { left: 0, right: 0 };
  const own = { left: 0, right: 0 };
  let differences = 0;
  for (const { kind, left, right } of segments) {
    const sums = kind === "changed" ? own : same;
    sums.left += left.end - left.first;
    sums.right += right.end - right.first;
    if (kind === "changed") differences += 1;
  }
  return { differences, same, own };
}

/** A setting in which two requests differ (or their model, prompt or mods), in words. */
export interface SettingDifference {
  readonly name: string;
  readonly left: string;
  readonly right: string;
}

/** The differences of two recorded requests: in model, weights, device, prompt, names of mods and settings. Null if a request is null. */
export function settingsThatDiffer(
  left: RequestRecord | null,
  right: RequestRecord | null,
): readonly SettingDifference[] | null {
  if (!left || !right) return null;
  return settings.flatMap(([name, textOf]) => {
    const [one, other] = [textOf(left), textOf(right)];
    if (one === null || other === null || one === other) return [];
    return [{ name, left: one, right: other }];
  });
}

/** `textOf` returns null for a value that was not recorded. Such a setting is not compared. */
type SettingRow = readonly [label: string, textOf: (request: RequestRecord) => string | null];

/** The table rows of each recorded field: label, and the value as text. Sampling has one row for each setting. */
const fieldRows: Readonly<Record<FieldsOf<"trace">, readonly SettingRow[]>> = {
  seed: [["Seed", ({ seed }) => String(seed)]],
  sampling: [
    ...samplingNames.map(
      (name): SettingRow => [samplingNumbers[name].label, ({ sampling }) => String(sampling[name])],
    ),
    ["Logit bias", ({ sampling }) => JSON.stringify(sampling.logitBias)],
  ],
  maxTokens: [["Max tokens", ({ maxTokens }) => String(maxTokens)]],
  stop: [["Stop sequences", ({ stop }) => stop.map((text) => JSON.stringify(text)).join(", ") || "none"]],
  responseFormat: [["Answer format", ({ responseFormat }) => responseFormat ?? "any text"]],
  tools: [["Tools", ({ tools }) => tools.join("\n") || "none"]],
  toolChoice: [["Tool choice", ({ toolChoice }) => JSON.stringify(toolChoice)]],
  parallelToolCalls: [["Parallel tool calls", ({ parallelToolCalls }) => (parallelToolCalls ? "yes" : "no")]],
  thinking: [["Thinking", ({ thinking }) => formatThinking(thinking)]],
  rawPrompt: [["Chat template", ({ rawPrompt }) => (rawPrompt ? "not used" : "used")]],
  parseSpecial: [
    ["Special tokens in messages", ({ parseSpecial }) => (parseSpecial ? "parsed" : "read as text")],
  ],
  heal: [["Token healing", ({ heal }) => (heal === false ? "off" : "on")]],
  budget: [["Max forward passes", ({ budget }) => String(budget)]],
  onModError: [["When a mod fails", ({ onModError }) => onModError]],
  deadlines: [["Mod time limits", ({ deadlines }) => formatDeadlines(deadlines)]],
};

const settings: readonly SettingRow[] = [
  ["Model", ({ model }) => model.id],
  ["Weights", ({ model }) => model.file],
  ["Device", ({ model }) => model.device],
  ["Prompt", ({ messages }) => messages.map(formatMessage).join("\n\n")],
  ["Mods", ({ mods }) => mods.map(({ name }) => name).join(", ") || "none"],
  ...Object.values(fieldRows).flat(),
];

function formatThinking(thinking: boolean | undefined): string {
  if (thinking === undefined) return "the model's default";
  return thinking ? "yes" : "no";
}

/** Null if the deadlines were not recorded, or if the run has no mods. */
function formatDeadlines(deadlines: TraceDeadlines | null): string | null {
  if (deadlines === null) return null;
  return `load ${deadlines.load} ms, prompt ${deadlines.prefilled} ms, event ${deadlines.event} ms`;
}

function formatMessage(message: TraceMessage): string {
  return `${message.role}: ${textOfMessage(message)}`;
}

/** Names of mods that both requests have, but whose source or export differs between the two. */
export function modsThatDiffer(left: RequestRecord | null, right: RequestRecord | null): readonly string[] {
  if (left === null || right === null) return [];
  const others = new Map(ownMods(right).map((mod) => [mod.name, mod]));
  return ownMods(left).flatMap(({ name, source, entry }) => {
    const other = others.get(name);
    return other && (other.source !== source || other.entry !== entry) ? [name] : [];
  });
}
