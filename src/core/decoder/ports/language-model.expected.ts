/**
 * Checks of `next` in `LanguageModel.forwardRows`: a pass may begin before the caller requests it, and this must change only
 * the time.
 */
import {
  type ExpectSameLogits,
  expectEqual,
  logitsFromScratch,
  someTokens,
} from "./language-model.compare.ts";
import type { LanguageModel } from "./language-model.ts";
import type { ComputedLogits } from "./logits.ts";

/** There is nothing to check if the model copies rows to the CPU. */
export async function checkExpectedNext(model: LanguageModel, same: ExpectSameLogits): Promise<void> {
  const { forwardRows } = model;
  if (!forwardRows) return;
  const text = someTokens(model.vocabularySize, 5, 37);
  const other = someTokens(model.vocabularySize, 2, 38);
  const expecting = async (token: number, temperature = 1) => {
    const [row] = await forwardRows([token], 1, temperature, "mostLikely");
    expectEqual("length", model.length, text.push(token));
    return taken(row, temperature);
  };
  const check = async (what: string, logits: Float32Array) => {
    const { length } = model;
    same(what, logits, await logitsFromScratch(model, text));
    expectEqual(`length after ${what}`, length, text.length);
  };

  await model.forward(text);
  let row = await expecting(other[0] as number);
  const rows = [row.logits];
  for (let i = 0; i < 3; i++) {
    row = await expecting(row.mostLikely);
    rows.push(row.logits);
  }
  expectEqual("length after four tokens", model.length, text.length);
  for (const [place, logits] of rows.entries())
    same(
      `after ${place} more tokens, each the most likely one`,
      logits,
      await logitsFromScratch(model, text.slice(0, text.length - 3 + place)),
    );

  // Calls that the caller makes although it had announced the most likely token.
  const instead: Record<string, () => Promise<Float32Array>> = {
    "another token": async () => (await expecting(other[1] as number)).logits,
    "the most likely token at another temperature": async () => (await expecting(row.mostLikely, 0.5)).logits,
    "the most likely token, with the logits copied to the CPU": async () => {
      text.push(row.mostLikely);
      return model.forward([row.mostLikely]);
    },
    "the most likely token and two more tokens in one pass": async () => {
      text.push(row.mostLikely, ...other);
      return model.forward([row.mostLikely, ...other]);
    },
    "the last token, removed and read again": async () => {
      model.truncate(text.length - 1);
      return (await expecting(text.pop() as number)).logits;
    },
    "a token read and removed, then the most likely token and one more": async () => {
      const { mostLikely } = row;
      await model.forward(other.slice(1));
      model.truncate(text.length);
      await expecting(mostLikely);
      return (await expecting(other[1] as number)).logits;
    },
    "the most likely token, read in another text of the same length": async () => {
      const { mostLikely } = row;
      model.truncate(text.length - 2);
      text.splice(-2, 2, ...other);
      await model.forward(other);
      return (await expecting(mostLikely)).logits;
    },
    "the most likely token of another text, read after the first text was restored": async () => {
      const saved = await model.segments?.save(0, text.length);
      model.truncate(text.length - 2);
      const kept = text.splice(-2, 2, other[1] as number);
      await model.forward(other.slice(1));
      const { mostLikely } = await expecting(other[0] as number);
      text.splice(-2, 2, ...kept);
      if (saved?.to === text.length) await model.segments?.restore(text, [saved]);
      else await logitsFromScratch(model, text);
      if (saved) model.segments?.free(saved);
      return (await expecting(mostLikely)).logits;
    },
  };
  for (const [what, ask] of Object.entries(instead)) {
    await logitsFromScratch(model, text);
    row = await expecting(other[0] as number);
    await check(what, await ask());
  }
}

/** All logits of a row, and its most likely token. Releases the row. */
async function taken(row: ComputedLogits | undefined, temperature: number) {
  if (!row) throw new Error("The model returned no logits.");
  if (row instanceof Float32Array) return { logits: row, mostLikely: row.indexOf(Math.max(...row)) };
  expectEqual("temperature", row.summary.temperature, temperature);
  const logits = await row.read();
  row.release();
  return { logits, mostLikely: row.summary.tokens[0] ?? 0 };
}
