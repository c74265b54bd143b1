/**
 * What three mods cost a token: each in its sandbox, each asked at every event of a step, one of them following a strategy.
 * Asked one token after the other; and in the decode loop, which also does what they answer (each row is edited twice) and
 * writes it down, on a model that costs nothing.
 */
import { hasTestTokenizer, testTokenizerData } from "../../../src/tokenizer/testing/test-tokenizers.ts";
import { type BenchRow, calibrate, figure, missingRows, timeAtMost } from "../machine.ts";
import { measureSandbox } from "../sandbox/measure.ts";

const limit = 2;

/** The bundled model's, SmolLM2's, and, without a limit, Qwen3's: choosing the likeliest of so many takes 0.2 ms of it. */
const vocabularies = [
  { name: "stories260k", entries: 512, isHeld: true },
  { name: "smollm2-135m", entries: 49_152, isHeld: true },
  { name: "qwen3-0.6b", entries: 151_936, isHeld: false },
] as const;

export async function threeModRows(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { name: tokenizer, entries, isHeld } of vocabularies) {
    if (!hasTestTokenizer(tokenizer)) {
      missingRows(`three mods at each event, ${entries.toLocaleString("en-US")} entries`);
      continue;
    }
    const before = calibrate();
    const options = { only: "threeMods", vocabulary: entries } as const;
    const { threeMods, threeModsInLoop } = await measureSandbox(testTokenizerData(tokenizer), options);
    const calibrations = [before, calibrate()];
    const name = `one token, three mods at each of its events, sandboxed, ${entries.toLocaleString("en-US")} entries`;
    rows.push(
      isHeld ? await timeAtMost(name, threeMods, "ms", limit, calibrations) : figure(name, threeMods, "ms"),
      figure(`${name}, with the loop's own work on their answers`, threeModsInLoop, "ms"),
    );
  }
  return rows;
}
