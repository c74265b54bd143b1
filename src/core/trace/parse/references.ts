/** Checks once how records refer to each other, so that code which draws a trace can rely on the references. */

import type { TraceRecord } from "../format/format.ts";
import type { RequestRecord } from "../format/format-request.ts";
import { traceLimits } from "../format/limits.ts";
import { vectorsOf } from "../format/vectors.ts";
import { PathError } from "./check.ts";

/** The number of tokens emitted so far, and the indices of the tokens in the output. */
interface Output {
  emitted: number;
  readonly outputTokens: number[];
}

/** Digests of the vectors so far, and the number of numbers in all of them. */
interface Vectors {
  readonly seen: Set<number>;
  numbers: number;
}

/**
 * Checks records one after another, `total` in all (null if the number is not known yet); throws if a record breaks a rule. The
 * rules: the first record is the only `request`; `prefilled` comes at most once; `finished` is the last record or missing; mods
 * are among the request's mods; top-k lists and vector numbers of mods are within their limits, and the numbers stand at a
 * vector's first use; indices of added tokens follow each other; removed tokens are the end of the output; scores belong to
 * emitted tokens, one distribution each.
 */
export function createReferenceCheck(total: number | null): (record: TraceRecord, number: number) => void {
  const output: Output = { emitted: 0, outputTokens: [] };
  const counts = { prefilled: 0, topK: 0, finished: 0 };
  const vectors: Vectors = { seen: new Set(), numbers: 0 };
  let mods = 0;
  return (record, number) => {
    if (number === 0) {
      if (record.type !== "request") throw notTheRequest();
      mods = record.mods.length;
      const problem = branchProblem(record);
      if (problem !== null) throw new PathError("records[0].branch", problem);
    }
    const problem =
      orderProblem(record, number, total, counts) ??
      modProblem(record, mods) ??
      topKProblem(record, counts) ??
      vectorProblem(record, vectors) ??
      specialProblem(record) ??
      outputProblem(record, output);
    if (problem !== null) throw new PathError(`records[${number}]`, problem);
  };
}

function branchProblem({ mods, branch }: RequestRecord): string | null {
  if (branch === null) return null;
  const { caughtUp, parentMods, difference } = branch;
  if (parentMods > mods.length)
    return `has ${parentMods} parent mods, but the request has only ${mods.length} mods`;
  if (difference === null) return null;
  if (difference.mod >= mods.length)
    return `names mod ${difference.mod}, but the request has ${mods.length} mods`;
  return difference.record >= caughtUp
    ? `differs at record ${difference.record}, but only the first ${caughtUp} records were replayed to the mods`
    : null;
}

/** The error for a trace whose first record is no request, or is missing. */
export const notTheRequest = (): PathError => new PathError("records[0]", "should be the request");

function orderProblem(
  { type }: TraceRecord,
  number: number,
  total: number | null,
  counts: { prefilled: number; finished: number },
): string | null {
  if (type === "request" && number > 0) return "is a second request";
  if (type === "prefilled" && counts.prefilled++ > 0) return "is a second prompt";
  if (counts.finished > 0) return "comes after the end of the run";
  if (type !== "finished") return null;
  counts.finished += 1;
  return total !== null && number !== total - 1 ? "ends the run, but more records follow" : null;
}

function specialProblem(record: TraceRecord): string | null {
  if (record.type !== "prefilled" || !record.special) return null;
  const { special, tokens } = record;
  if (special.length === 0) return "has an empty list of special tokens: leave the list out";
  const isPlace = special.every(
    (place, index) => place > (special[index - 1] ?? -1) && place < tokens.length,
  );
  return isPlace ? null : "names special tokens out of order or beyond the prompt";
}

function modProblem(record: TraceRecord, mods: number): string | null {
  const failedMod = record.type === "finished" ? record.error?.mod : null;
  const mod = "mod" in record ? record.mod : (failedMod ?? null);
  return mod !== null && mod >= mods ? `names mod ${mod}, but the request has ${mods} mods` : null;
}

function topKProblem(record: TraceRecord, counts: { topK: number }): string | null {
  const given = record.type === "modCall" ? record.given : null;
  const list = record.type === "forwardPass" ? record.likeliest : given;
  counts.topK += list?.tokens.length ?? 0;
  return counts.topK > traceLimits.topKEntries
    ? `brings the run's top-k tokens above the limit of ${traceLimits.topKEntries}`
    : null;
}

/**
 * Refuses a vector that repeats its numbers. Merely dropping the repeated numbers would be wrong: if they differ from the
 * first numbers, equal digests do not mean equal vectors, and the steering would depend on which numbers a reader takes.
 */
function vectorProblem(record: TraceRecord, vectors: Vectors): string | null {
  if (record.type !== "modCall") return null;
  for (const { digest, numbers } of vectorsOf(record.action)) {
    if (numbers !== null && vectors.seen.has(digest)) return `repeats the numbers of vector ${digest}`;
    vectors.seen.add(digest);
    vectors.numbers += numbers?.length ?? 0;
  }
  return vectors.numbers > traceLimits.vectorNumbers
    ? `brings the vectors above the limit of ${traceLimits.vectorNumbers} numbers`
    : null;
}

function outputProblem(record: TraceRecord, output: Output): string | null {
  switch (record.type) {
    case "added":
      if (record.index !== output.emitted) {
        return `starts at token ${record.index}, but ${output.emitted} tokens were emitted before it`;
      }
      if (record.index + record.tokens.length > traceLimits.tokens)
        return `brings the output above the limit of ${traceLimits.tokens} tokens`;
      for (const _ of record.tokens) output.outputTokens.push(output.emitted++);
      return null;
    case "backtracked": {
      const kept = output.outputTokens.length - record.removed.length;
      if (kept < 0 || record.removed.some((index, place) => index !== output.outputTokens[kept + place])) {
        return "removes tokens that are not at the end of the output";
      }
      output.outputTokens.length = kept;
      return null;
    }
    case "scored":
      if (record.index + record.logprobs.length > output.emitted)
        return "scores tokens that were not emitted";
      return record.logprobs.length === record.distributions.length
        ? null
        : `has ${record.logprobs.length} scores but ${record.distributions.length} distributions`;
    default:
      return null;
  }
}
