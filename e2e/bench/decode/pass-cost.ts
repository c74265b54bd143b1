/** The time of a pass of several tokens, in passes of one, and whether its logits are the same. Prompt lookup on a device depends on both (`engine/graph/pass-cost.ts`). */
import { largestDifference } from "../../../src/core/decoder/ports/language-model.compare.ts";
import { openBundle, userSays } from "./ours.ts";
import type { Subject } from "./rival.ts";

export interface PassCostOptions {
  readonly subject: Subject;
  readonly device: "wasm" | "webgpu";
  /** Lengths of the passes to time; 1 is the first. */
  readonly lengths: readonly number[];
  /** Tokens before each pass. */
  readonly context: number;
  readonly warmUps: number;
  readonly rounds: number;
}

export interface PassCostResult {
  /** Milliseconds of each length, per round. */
  readonly ms: readonly (readonly number[])[];
  /** Compares the logits of the longest pass with passes of one token: the largest difference, and how often another token is most likely. */
  readonly difference: number;
  readonly otherTokens: number;
}

/** Passes of all lengths take turns, each with all of its rows, behind the same context. */
export async function passCosts(options: PassCostOptions): Promise<PassCostResult> {
  const { subject, device, lengths, context, warmUps, rounds } = options;
  const { model, formatPrompt } = await openBundle(subject, device);
  const longest = Math.max(...lengths);
  const prompt = formatPrompt(userSays(subject.content));
  const tokens = Array.from({ length: context + longest }, (_, i) => prompt[i % prompt.length] as number);
  await model.forward(tokens.slice(0, context));
  const ms = lengths.map((): number[] => []);
  for (let round = -warmUps; round < rounds; round++) {
    for (const [place, length] of lengths.entries()) {
      model.truncate(context);
      const start = performance.now();
      await model.forward(tokens.slice(context, context + length), length);
      if (round >= 0) ms[place]?.push(performance.now() - start);
    }
  }
  model.truncate(context);
  const together = await model.forward(tokens.slice(context), longest);
  model.truncate(context);
  let [difference, otherTokens] = [0, 0];
  for (let i = 0; i < longest; i++) {
    const alone = await model.forward(tokens.slice(context + i, context + i + 1));
    const row = together.subarray(i * alone.length, (i + 1) * alone.length);
    difference = Math.max(difference, largestDifference(row, alone));
    if (mostLikely(row) !== mostLikely(alone)) otherTokens += 1;
  }
  await model.dispose();
  return { ms, difference, otherTokens };
}

function mostLikely(row: Float32Array): number {
  return row.indexOf(row.reduce((a, b) => Math.max(a, b)));
}
