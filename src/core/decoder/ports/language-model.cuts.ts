/** Checks of the conformance suite: a model's logits after its text was cut. */
import {
  type ExpectSameLogits,
  empty,
  expectEqual,
  logitsAlongText,
  logitsFromScratch,
  someTokens,
} from "./language-model.compare.ts";
import type { LanguageModel } from "./language-model.ts";

export async function checkTruncation(model: LanguageModel, same: ExpectSameLogits): Promise<void> {
  const start = someTokens(model.vocabularySize, 12);
  const other = someTokens(model.vocabularySize, 4, 99);
  const read = async () => {
    model.truncate(0);
    await model.forward(start.slice(0, 10));
    for (const token of start.slice(10)) await model.forward([token]);
    return start;
  };
  const cuts: { keep: number; text: readonly number[]; logits: readonly Float32Array[] }[] = [];
  const cut = async (before: readonly number[], keep: number) => {
    model.truncate(keep);
    const text = [...before.slice(0, keep), ...other];
    const logits = [await model.forward(other.slice(0, 3)), await model.forward(other.slice(3))];
    cuts.push({ keep, text, logits });
    return text;
  };
  await cut(await cut(await read(), 12), 0);
  // The text of four tokens was cut to nothing: its states must not be found below the 8 tokens that remain here.
  await cut(await read(), 8);
  for (const { keep, text, logits } of cuts) {
    const expected = await logitsAlongText(model, text, [keep + 3, keep + 4]);
    for (const [i, count] of [3, 4].entries())
      same(`cut to ${keep} tokens, then ${count} new tokens`, logits[i] ?? empty, expected[i] ?? empty);
  }
}

/**
 * Passes (a number of tokens) and cuts (to a length), with the places of comparison. Among the cuts: two in a row, one directly
 * after a pass, one into the middle of a pass, one far before the newest tokens, and one to nothing.
 */
const wandering: readonly (
  | { readonly pass: number }
  | { readonly cut: number; readonly compare?: boolean }
)[] = [
  { pass: 20 },
  ...Array.from({ length: 4 }, () => ({ pass: 1 })),
  { cut: 22 },
  { cut: 21, compare: true },
  { pass: 3 },
  { cut: 23 },
  { pass: 2 },
  { cut: 13, compare: true },
  { pass: 35 },
  { cut: 20 },
  { pass: 1 },
  { cut: 21, compare: true },
  { cut: 0 },
  { pass: 4 },
  { cut: 3, compare: true },
];

export async function checkMixedCuts(model: LanguageModel, same: ExpectSameLogits): Promise<void> {
  const tokens = someTokens(model.vocabularySize, 200, 61);
  const compared: { text: number[]; logits: Float32Array }[] = [];
  let [text, used]: [number[], number] = [[], 0];
  const pass = async (count: number) => {
    const span = tokens.slice(used, used + count);
    used += count;
    text = [...text, ...span];
    return model.forward(span);
  };
  for (const step of wandering) {
    if ("pass" in step) await pass(step.pass);
    else {
      model.truncate(step.cut);
      text = text.slice(0, step.cut);
      expectEqual("length after the cut", model.length, step.cut);
      if (step.compare) compared.push({ logits: await pass(2), text });
    }
    expectEqual("length", model.length, text.length);
  }
  for (const { text, logits } of compared)
    same(`${text.length} tokens`, logits, await logitsFromScratch(model, text));
}
