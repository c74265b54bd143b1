/**
 * What three mods cost a token: each in its sandbox, each asked at every event of a step, one of them following a strategy,
 * in the decode loop, which also does what they answer (each row is edited twice) and writes it down, on a model that
 * costs nothing.
 */
import { resolve } from "node:path";
import { type BenchRow, calibrate } from "../machine.ts";
import { measureSandbox } from "../sandbox/measure.ts";
import { threeModRows as rowsOf } from "../sandbox/three-mod-rows.ts";

/** The bundled model's, SmolLM2's and Qwen3's. */
const vocabularies = [
  { folder: "public/models/stories260k", entries: 512 },
  { folder: "../shared/tokenizers/smollm2-135m", entries: 49_152 },
  { folder: "../shared/tokenizers/qwen3-0.6b", entries: 151_936 },
] as const;

export async function threeModRows(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { folder, entries } of vocabularies) {
    const before = calibrate();
    const { threeMods } = await measureSandbox(resolve(folder), { only: "threeMods", vocabulary: entries });
    rows.push(...(await rowsOf(entries, threeMods, [before, calibrate()])));
  }
  return rows;
}
