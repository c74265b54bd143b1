/** Checks of the conformance suite: parts of texts that stay cached while the model reads other texts. */
import {
  type ExpectSameLogits,
  expectEqual,
  expectThrows,
  logitsFromScratch,
  someTokens,
} from "./language-model.compare.ts";
import type { CacheSegment, CacheSegments, LanguageModel } from "./language-model.ts";

/** Checks nothing if the model cannot save segments. */
export async function checkRestoredSegments(model: LanguageModel, same: ExpectSameLogits): Promise<void> {
  const { segments } = model;
  if (!segments) return;
  const tokens = someTokens(model.vocabularySize, 200, 71);
  // The branch is longer than the text that it comes from; the text that is read between is shorter than both.
  const [first, branch, other] = [tokens.slice(0, 40), tokens.slice(40, 65), tokens.slice(65, 70)];
  const next = tokens.slice(100, 103);
  // Two passes, so that the model saves a state between them.
  await model.forward(first.slice(0, 21));
  await model.forward(first.slice(21));
  const whole = await saved(segments, 0, 40);
  model.truncate(21);
  await model.forward(branch);
  const tail = await saved(segments, 21, 46);
  model.truncate(0);
  await model.forward(other);
  const cases: [string, number[], CacheSegment[]][] = [
    ["a text", first, [whole]],
    ["a branch of it", [...first.slice(0, 21), ...branch], [whole, tail]],
  ];
  const found: { what: string; text: number[]; logits: Float32Array }[] = [];
  for (const [what, text, parts] of cases) {
    await segments.restore(text, parts);
    expectEqual(`length of ${what}`, model.length, text.length);
    found.push({ what, text: [...text, ...next], logits: await model.forward(next) });
  }
  // Cuts the text and continues it, like any other text.
  model.truncate(44);
  const cut = [...first.slice(0, 21), ...branch.slice(0, 23), ...next];
  found.push({ what: "that branch, cut", text: cut, logits: await model.forward(next) });
  await refusals(model, segments, whole, tail);
  for (const segment of [whole, tail]) segments.free(segment);
  for (const { what, text, logits } of found) same(what, logits, await logitsFromScratch(model, text));
}

/** A segment that was not saved is refused, and the context stays unchanged. */
async function refusals(
  model: LanguageModel,
  segments: CacheSegments,
  whole: CacheSegment,
  tail: CacheSegment,
) {
  const { length } = model;
  const zeros = (count: number) => new Array<number>(count).fill(0);
  const wrong: [string, () => Promise<unknown>][] = [
    ["saving an empty span", () => segments.save(3, 3)],
    ["saving more tokens than the text has", () => segments.save(0, length + 1)],
    ["restoring no segments", () => segments.restore(zeros(3), [])],
    ["restoring a segment without the segments before it", () => segments.restore(zeros(46), [tail])],
    ["restoring more tokens than the segments have", () => segments.restore(zeros(41), [whole])],
  ];
  for (const [what, call] of wrong) {
    await expectThrows(what, call, RangeError);
    expectEqual(`length after ${what}`, model.length, length);
  }
}

async function saved(segments: CacheSegments, from: number, to: number): Promise<CacheSegment> {
  const segment = await segments.save(from, to);
  if (!segment) throw new Error(`The model saved nothing for tokens ${from} to ${to}.`);
  expectEqual("the start of a segment", segment.from, from);
  expectEqual("the end of a segment", segment.to, to);
  if (!(segment.bytes > 0 && segment.bytes <= segments.bytesOf(from, to)))
    throw new Error(
      `The segment takes ${segment.bytes} bytes, but bytesOf() announced at most ${segments.bytesOf(from, to)}.`,
    );
  return segment;
}
