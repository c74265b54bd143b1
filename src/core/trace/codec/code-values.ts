/** Writes and reads the values inside records: times, texts, tokens, distributions. Every coder works both ways, see `column-io.ts`. */
import type { TraceToolCall } from "../format/format-request.ts";
import type { TraceDistribution, TraceToken, TraceTopToken } from "../format/format-values.ts";
import { traceMemoryBytes } from "../format/memory.ts";
import type { CodingContext } from "./code-context.ts";
import { type ColumnIo, codeList, codeNullable, codeOptional } from "./column-io.ts";
import { entropyGrid, logprobGrid } from "./grids.ts";
import type { ColumnKey } from "./sections.ts";

/** Writes a value, or reads it if `value` is undefined. */
export type Coder<Type> = (io: ColumnIo, context: CodingContext, value: Type | undefined) => Type;

export const codeTimeUs: Coder<number> = (io, context, value) =>
  io.whole("timings.times", value, context.timeUs);
export const codeOutputLength: Coder<number> = (io, context, value) =>
  io.whole("events.steps", value, context.outputTokens.length);

export function codeDurationUs(io: ColumnIo, value: number | undefined): number {
  return io.whole("timings.durations", value);
}

/** A section with `numbers`, `lengths` and `text`. */
type TextSection =
  | "settings"
  | "prompt"
  | "mods"
  | "text"
  | "events"
  | "logs"
  | "maker"
  | "thinking"
  | "answerMarks"
  | "healing";

export function codeText(io: ColumnIo, section: TextSection, value: string | undefined): string {
  const { lengths, characters } = textColumns[section];
  return io.text(lengths, characters, value);
}

/**
 * The columns of each kind of text. Column names are never concatenated while values are read: that would take longer than the
 * reading.
 */
const textColumns = {
  settings: { lengths: "settings.lengths", characters: "settings.text" },
  prompt: { lengths: "prompt.lengths", characters: "prompt.text" },
  mods: { lengths: "mods.lengths", characters: "mods.text" },
  text: { lengths: "pieces.lengths", characters: "text.text" },
  events: { lengths: "events.lengths", characters: "events.text" },
  logs: { lengths: "logs.lengths", characters: "logs.text" },
  maker: { lengths: "maker.lengths", characters: "maker.text" },
  thinking: { lengths: "thinking.lengths", characters: "thinking.text" },
  healing: { lengths: "healing.lengths", characters: "healing.text" },
  answerMarks: { lengths: "answerMarks.lengths", characters: "answerMarks.text" },
} as const satisfies Record<TextSection, { lengths: ColumnKey; characters: ColumnKey }>;

/** Writes or reads a token id. The guess is the id of the last token with the same text. */
function idFor(io: ColumnIo, context: CodingContext, id: number | undefined, text: string): number {
  const result = io.whole("tokenIds.ids", id, context.idOf.get(text) ?? -1);
  context.idOf.set(text, result);
  return result;
}

/**
 * Writes or reads a token of the prompt, or a sampled token. The texts of these tokens follow each other in one column, so that
 * the column reads as plain text, which packs well.
 */
export function codeToken(
  io: ColumnIo,
  context: CodingContext,
  section: "prompt" | "text",
  value: TraceToken | undefined,
): TraceToken {
  const own = codeText(io, section, value?.text);
  return { token: idFor(io, context, value?.token, own), text: own };
}

/**
 * Writes or reads the sampled token: its rank in the top-k list, or, if the list does not have it, the token as
 * `codeToken` writes it.
 */
export function codeSampledToken(
  io: ColumnIo,
  context: CodingContext,
  value: TraceToken | undefined,
): TraceTopToken {
  const { top } = context;
  if (top.length > 0) {
    const rank = io.whole("alternatives.ranks", value && rankAmong(top, value));
    const found = rank > 0 ? top[rank - 1] : undefined;
    if (found) {
      io.spend(found.text.length);
      return found;
    }
  }
  const own = codeToken(io, context, "text", value);
  return { token: own.token, text: own.text, logprob: 0 };
}

/** The rank of a token in a top-k list, from 1; 0 if the list does not have the token. */
function rankAmong(top: CodingContext["top"], value: TraceToken): number {
  return top.findIndex((each) => each.token === value.token && each.text === value.text) + 1;
}

/** How the text of an added token relates to the rest of the announced text: all of it, its beginning, or another text. */
const likeness = ["all", "beginning", "other"] as const;

/** `rest`: the rest of the announced text; null if no text is announced. */
function likenessOf(text: string, rest: string | null): (typeof likeness)[number] {
  if (text === rest) return "all";
  return rest !== null && text !== "" && rest.startsWith(text) ? "beginning" : "other";
}

/**
 * Writes or reads a token of the output. If the token's text equals the announced text or its beginning, no character of the text
 * is written.
 */
export function codeAddedToken(
  io: ColumnIo,
  context: CodingContext,
  value: TraceToken | undefined,
): TraceToken {
  const announced = context.announced;
  const rest = announced?.text ?? "";
  const tokensLeft = announced ? announced.ids.length - announced.used : 0;
  const guess = tokensLeft > 1 ? "beginning" : "all";
  const kind = io.choice(
    "pieces.numbers",
    value && likenessOf(value.text, announced?.text ?? null),
    likeness,
    guess,
  );
  let text = rest;
  if (kind === "beginning") text = rest.slice(0, io.whole("pieces.lengths", value?.text.length));
  if (kind === "other") text = codeText(io, "text", value?.text);
  io.spend(text.length);
  io.hold(traceMemoryBytes.token);
  const id = announced?.ids[announced.used] ?? context.idOf.get(text) ?? -1;
  const result = { token: io.whole("tokenIds.ids", value?.token, id), text };
  context.idOf.set(text, result.token);
  if (announced) {
    announced.used += 1;
    announced.text = kind === "other" ? rest : rest.slice(text.length);
  }
  return result;
}

/**
 * Writes or reads a token of a top-k list, or a counterfactual token: its place in `context.table`, or, at its first use, 0 and
 * the token itself.
 */
function tableToken(io: ColumnIo, context: CodingContext, value: TraceToken | undefined): TraceToken {
  const key = value && `${value.token} ${value.text}`;
  const known = key === undefined ? undefined : (context.tablePlace.get(key) ?? context.table.length);
  const isOld = known !== undefined && known < context.table.length;
  const place = io.whole("alternatives.tokens", value && (isOld ? known + 1 : 0));
  // Looking up entry -1 of a list is slow in browsers.
  const old = place > 0 ? context.table[place - 1] : undefined;
  if (old) {
    // The columns do not hold the text again, but `parseTrace` reads it again, so `UnpackBudget` is charged for it.
    io.spend(old.text.length);
    return old;
  }
  const own = io.text("alternatives.lengths", "alternatives.text", value?.text);
  const fresh = { token: idFor(io, context, value?.token, own), text: own };
  if (key !== undefined) context.tablePlace.set(key, context.table.length);
  context.table.push(fresh);
  return fresh;
}

export function codeCounterfactual(
  io: ColumnIo,
  context: CodingContext,
  value: TraceToken | null | undefined,
): TraceToken | null {
  return codeNullable(io, "alternatives.counts", value, (each) => tableToken(io, context, each));
}

export function codeDistribution(
  io: ColumnIo,
  context: CodingContext,
  value: TraceDistribution | undefined,
): TraceDistribution {
  io.hold(traceMemoryBytes.distribution);
  const entropy = io.number("probabilities.entropies", value?.entropy, entropyGrid);
  let guess = 0;
  const code = (each: TraceDistribution["top"][number] | undefined) => {
    const { token, text } = tableToken(io, context, each);
    const logprob = io.number("alternatives.logprobs", each?.logprob, logprobGrid, guess);
    guess = logprob;
    // The fields are written out: a spread object takes twice the memory, and there are millions of these tokens.
    return { token, text, logprob };
  };
  const top = codeList(io, "alternatives.counts", value?.top, code, context.topLength);
  context.topLength = top.length;
  const partial = codeOptional(io, "partial.flags", value?.partial !== undefined, value?.partial, (each) => ({
    rest: io.number("partial.floats", each?.rest),
    mostEntropy: io.number("partial.floats", each?.mostEntropy),
  }));
  return partial ? { entropy, top, partial } : { entropy, top };
}

export function codeToolCall(io: ColumnIo, value: TraceToolCall | undefined): TraceToolCall {
  return {
    id: codeText(io, "events", value?.id),
    type: "function",
    function: {
      name: codeText(io, "events", value?.function.name),
      arguments: codeText(io, "events", value?.function.arguments),
    },
  };
}
