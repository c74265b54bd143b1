/**
 * The tests of Quote's SDK as mods of Midtoken (docs/from-quote.md), to be run on any model. The expectations of a case follow
 * from the mod alone, whatever the model would say.
 */
import type { TraceRecord } from "../../../../core/trace/format/format.ts";

export interface QuoteSdkCase {
  /** The name of Quote's test, with its file. */
  readonly name: string;
  /** TypeScript of the mod. */
  readonly source: string;
  /** "Once upon a time" unless given. */
  readonly prompt?: string;
  /** `quoteSdkMaxTokens` unless given. */
  readonly maxTokens?: number;
  readonly expects: Expectation;
}

interface Expectation {
  /** The whole output, or what it matches. "the model's own": what the model writes without mods. */
  readonly text?: string | RegExp;
  /** `name(arguments)` of each tool call. */
  readonly calls?: readonly string[];
  readonly callId?: string;
  /** Texts that the prompt contains, and texts that it does not contain. */
  readonly prompt?: { readonly has: string; readonly lacks: string };
  /** Lines that the mod wrote with `console.log`. */
  readonly lines?: readonly string[];
}

export interface QuoteSdkOutcome {
  readonly text: string;
  readonly error: string | null;
  readonly calls: readonly string[];
  readonly callIds: readonly string[];
  readonly prompt: string;
  readonly lines: readonly string[];
}

/** The most tokens of a run. */
export const quoteSdkMaxTokens = 24;
export const quoteSdkPrompt = "Once upon a time";
/** As the expected text of a case: the output is the one without mods. */
export const plainOutputMarker = "the model's own";

/** `lines`: what the mod wrote, if the records do not have it. */
export function outcomeOf(records: readonly TraceRecord[], lines?: readonly string[]): QuoteSdkOutcome {
  const finished = records.find((record) => record.type === "finished");
  const prefilled = records.find((record) => record.type === "prefilled");
  const written = records.flatMap((record) => (record.type === "modCall" ? record.console : []));
  const toolCalls = finished?.toolCalls ?? [];
  return {
    text: finished?.text ?? "",
    error: finished?.error?.message ?? (finished ? null : "The run has no end."),
    calls: toolCalls.map(({ function: { name, arguments: given } }) => `${name}(${given})`),
    callIds: toolCalls.map(({ id }) => id),
    prompt: (prefilled?.tokens ?? []).map(({ text }) => text).join(""),
    lines: lines ?? written.map(({ text }) => text),
  };
}

/** Differences from the expectations of the case; empty if there are none. `plain`: the output without mods. */
export function problemsOf({ expects }: QuoteSdkCase, outcome: QuoteSdkOutcome, plain: string): string[] {
  const { text, calls, callId, prompt, lines } = expects;
  const problems: string[] = [];
  const check = (what: string, isRight: boolean, found: unknown) => {
    if (!isRight) problems.push(`${what}: ${JSON.stringify(found)}`);
  };
  check("error", outcome.error === null, outcome.error);
  if (text instanceof RegExp) check(`text that matches ${text}`, text.test(outcome.text), outcome.text);
  else if (text !== undefined) {
    const wanted = text === plainOutputMarker ? plain : text;
    check(`text ${JSON.stringify(wanted)}`, outcome.text === wanted, outcome.text);
  }
  if (calls) check(`calls ${calls.join()}`, String(calls) === String(outcome.calls), outcome.calls);
  if (callId) check(`id ${callId}`, outcome.callIds[0] === callId, outcome.callIds);
  if (prompt) {
    const isChanged = outcome.prompt.includes(prompt.has) && !outcome.prompt.includes(prompt.lacks);
    check(`prompt with ${prompt.has}`, isChanged, outcome.prompt);
  }
  if (lines) check(`lines ${lines.join(" | ")}`, String(lines) === String(outcome.lines), outcome.lines);
  return problems;
}

/** A mod with these handlers. */
export function modSourceOf(handlers: string): string {
  return `import { mod, requestState } from "midtoken/mod";\n\nexport default mod({\n  ${handlers}\n});\n`;
}
