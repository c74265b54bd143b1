/** Writes and reads the top-k lists and scores that mods read, and the digests of the mods' edits. */
import type { TraceDistribution, TraceScores, TraceTopK } from "../format/format-values.ts";
import { traceLimits } from "../format/limits.ts";
import { traceMemoryBytes } from "../format/memory.ts";
import { TraceError } from "../format/trace-error.ts";
import type { CodingContext } from "./code-context.ts";
import type { ColumnIo } from "./column-io.ts";

/**
 * Writes or reads one top-k list. `top`: the tokens with which the list probably begins. Each log-probability is written as the
 * distance of its float32 bits from the bits before: the list is ordered by likelihood, so each number is a little further from
 * 0.
 */
export function codeModTopK(
  io: ColumnIo,
  context: CodingContext,
  value: TraceTopK | undefined,
  top: TraceDistribution["top"],
): TraceTopK {
  const asked = io.whole("given.counts", value?.asked, context.asked);
  context.asked = asked;
  const length = io.whole("given.counts", value?.tokens.length, asked);
  context.topKLeft -= length;
  if (!(length >= 0 && length <= traceLimits.topK && context.topKLeft >= 0)) {
    throw new TraceError(
      `The trace is damaged: a mod read the ${length} most likely tokens; the limit is ${traceLimits.topK} per step and ${traceLimits.topKEntries} per run.`,
    );
  }
  io.hold(traceMemoryBytes.topK);
  io.enter(length, traceMemoryBytes.topKEntry);
  const tokens: number[] = [];
  const logprobs: number[] = [];
  let bits = 0;
  for (let place = 0; place < length; place += 1) {
    const guess = top[place];
    tokens.push(io.whole("given.tokens", value?.tokens[place], guess?.token ?? 0));
    if (guess) bits = bitsOf(guess.logprob);
    const logprob = value?.logprobs[place];
    bits = io.whole("given.logprobs", logprob === undefined ? undefined : bitsOf(logprob), bits);
    logprobs.push(numberOf(bits));
  }
  return { asked, tokens, logprobs };
}

/** Writes or reads scores. @throws TraceError if there are more scores than a trace may have. */
export function codeScores(io: ColumnIo, value: readonly TraceScores[] | undefined): readonly TraceScores[] {
  return shortList(io, value, traceLimits.scores.calls, (each) => ({
    logprobs: shortList(io, each?.logprobs, traceLimits.scores.continuations, (logprob?: number) =>
      numberOf(io.whole("scores.logprobs", logprob === undefined ? undefined : bitsOf(logprob))),
    ),
    passes: io.whole("scores.numbers", each?.passes),
    digest: io.whole("scores.numbers", each?.digest),
  }));
}

function shortList<Type extends object | number>(
  io: ColumnIo,
  value: readonly Type[] | undefined,
  most: number,
  code: (value: Type | undefined) => Type,
): Type[] {
  const length = io.whole("scores.numbers", value?.length);
  if (!(length >= 0 && length <= most))
    throw new TraceError(`The trace is damaged: it has a list of ${length} scores; the limit is ${most}.`);
  io.enter(length);
  return Array.from({ length }, (_, place) => code(value?.[place]));
}

const scratch = new DataView(new ArrayBuffer(4));

/** The bits of the number as a float32. */
function bitsOf(number: number): number {
  scratch.setFloat32(0, number);
  return scratch.getUint32(0);
}

function numberOf(bits: number): number {
  scratch.setUint32(0, bits);
  return scratch.getFloat32(0);
}

/** Writes or reads a digest. A missing digest is written as 0, so a column without any digest takes no room. */
export function codeLogitsEditDigest(io: ColumnIo, value: number | null | undefined): number | null {
  const written = io.whole("given.digests", value === undefined ? undefined : (value ?? -1) + 1);
  return written === 0 ? null : written - 1;
}
