/**
 * Compares the outputs of two recorded requests: equal tokens, and the places where the outputs differ. Pure. Tokens that a
 * mod removed are in no output and are ignored.
 */
import { type ResumableWork, scaleProgress } from "../../base/resumable-work.ts";
import type { TraceModel } from "../model/trace-model.ts";
import { type CommonStretch, compareListsInSteps } from "./compare-lists.ts";
import { type Comparison, columnCountOf, type Segment, type Side } from "./comparison.ts";
import { splitDifference } from "./respelled.ts";
import { continuesWord, tokensToBoundary } from "./words.ts";

/** In steps: compares the tokens that are in the outputs of two runs now. */
export function* comparing(left: TraceModel, right: TraceModel): ResumableWork<Comparison> {
  const sides = { left: [...left.outputTokens], right: [...right.outputTokens] };
  const byText = !haveSameVocabulary(left, right);
  const numbers = new Map<string | number, number>();
  const keysOf = ({ tokens }: TraceModel, outputTokens: readonly number[]) =>
    Int32Array.from(outputTokens, (index) => {
      const text = tokens.kind[index] === "end" ? -1 : (tokens.text[index] ?? "");
      const key = byText ? text : (tokens.token[index] ?? -1);
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    });
  const lists = [keysOf(left, sides.left), keysOf(right, sides.right)] as const;
  const { common, isShortest } = yield* scaleProgress(compareListsInSteps(...lists), 0, 0.95);
  const texts = {
    left: (place: number) => left.tokens.text[sides.left[place] ?? -1] ?? "",
    right: (place: number) => right.tokens.text[sides.right[place] ?? -1] ?? "",
  };
  const whole = wholeWords(common, texts);
  const segments = segmentsOf(withoutIslands(whole, lists[0].length, lists[1].length), sides, texts);
  const last = segments.at(-1);
  const columns = last ? last.column + columnCountOf(last) : 0;
  return { ...sides, segments, columns, byText, isShortest };
}

/** Whether equal ids mean equal tokens in both runs. */
function haveSameVocabulary(left: TraceModel, right: TraceModel): boolean {
  if (left.leftOut.has("tokenIds") || right.leftOut.has("tokenIds")) return false;
  const [one, other] = [left.request?.model, right.request?.model];
  return one !== undefined && one.id === other?.id && one.vocabularySize === other.vocabularySize;
}

type Texts = Readonly<Record<Side, (place: number) => string>>;

/**
 * Shortens common runs to whole words: two different words often share a token by chance, such as the "fe" of "feel" and
 * "felt". The run at the beginning of both outputs stays: its end is the token at which the outputs part.
 */
function wholeWords(common: readonly CommonStretch[], { left, right }: Texts): readonly CommonStretch[] {
  const isInWord = (one: number, other: number) =>
    continuesWord(left(one - 1), left(one)) || continuesWord(right(other - 1), right(other));
  return common.flatMap((run) => {
    if (run.left === 0 && run.right === 0) return [run];
    const apart = run.right - run.left;
    const isInside = (place: number) => isInWord(place, place + apart);
    const skipped = tokensToBoundary(run.left, 1, isInside);
    const cut = tokensToBoundary(run.left + run.length, -1, isInside);
    const length = run.length - skipped - cut;
    return length > 0 ? [{ left: run.left + skipped, right: run.right + skipped, length }] : [];
  });
}

/** A common run of at least this many tokens never counts as a coincidence. */
const neverByChance = 8;

/**
 * Drops common runs that are likely coincidences: a short run that is shorter than the difference before it and the difference
 * after it counts as different.
 */
function withoutIslands(
  common: readonly CommonStretch[],
  leftLength: number,
  rightLength: number,
): readonly CommonStretch[] {
  const kept: CommonStretch[] = [{ left: 0, right: 0, length: 0 }];
  const differing = (before: CommonStretch | undefined, after: CommonStretch | undefined) =>
    before && after
      ? Math.max(after.left - before.left - before.length, after.right - before.right - before.length)
      : 0;
  for (const run of [...common, { left: leftLength, right: rightLength, length: 0 }]) {
    kept.push(run);
    for (;;) {
      const island = kept.at(-2);
      if (!island || kept.length < 3) break;
      const around = Math.min(differing(kept.at(-3), island), differing(island, run));
      if (island.length >= Math.min(around, neverByChance)) break;
      kept.splice(-2, 1);
    }
  }
  return kept.filter(({ length }) => length > 0);
}

type Part = Omit<Segment, "column">;

function segmentsOf(
  common: readonly CommonStretch[],
  sides: Readonly<Record<Side, readonly number[]>>,
  texts: Texts,
): readonly Segment[] {
  const parts: Part[] = [];
  let [left, right] = [0, 0];
  const differ = (leftEnd: number, rightEnd: number) => {
    if (leftEnd > left || rightEnd > right)
      parts.push(...splitDifference({ first: left, end: leftEnd }, { first: right, end: rightEnd }, texts));
  };
  for (const run of common) {
    differ(run.left, run.right);
    left = run.left + run.length;
    right = run.right + run.length;
    parts.push({
      kind: "same",
      left: { first: run.left, end: left },
      right: { first: run.right, end: right },
    });
  }
  differ(sides.left.length, sides.right.length);
  let column = 0;
  return parts.map((part) => {
    const segment = { ...part, column };
    column += columnCountOf(segment);
    return segment;
  });
}
