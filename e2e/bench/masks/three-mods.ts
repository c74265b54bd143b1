/**
 * The time that three mods add to a token. Each mod has its own sandbox and is asked at every event of a step; one follows a
 * strategy. The decode loop also applies their replies (each row is edited twice) and records them. The model costs nothing.
 */
import { hasTestTokenizer, testTokenizerData } from "../../../src/core/tokenizer/testing/test-tokenizers.ts";
import { type BenchRow, calibrate, missingRows } from "../machine.ts";
import { measureSandbox } from "../sandbox/measure.ts";
import { threeModRows as rowsOf } from "../sandbox/three-mod-rows.ts";

/** The bundled model's, SmolLM2's and Qwen3's. */
const vocabularies = [
  { tokenizer: "stories260k", entries: 512 },
  { tokenizer: "smollm2-135m", entries: 49_152 },
  { tokenizer: "qwen3-0.6b", entries: 151_936 },
] as const;

export async function threeModRows(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { tokenizer, entries } of vocabularies) {
    if (!hasTestTokenizer(tokenizer)) {
      missingRows(`three mods at each event, ${entries.toLocaleString("en-US")} entries`);
      continue;
    }
    const before = calibrate();
    const { threeMods } = await measureSandbox(testTokenizerData(tokenizer), {
      only: "threeMods",
      vocabulary: entries,
    });
    rows.push(...(await rowsOf(entries, threeMods, [before, calibrate()])));
  }
  return rows;
}
