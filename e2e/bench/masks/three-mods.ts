/** What three mods cost a token: each in its sandbox, each asked at every event of a step, one of them following a strategy. */
import { resolve } from "node:path";
import { type BenchRow, calibrate, timeAtMost } from "../machine.ts";
import { measureSandbox } from "../sandbox/measure.ts";

const vocabularies = [
  ["public/models/stories260k", 512],
  ["../shared/tokenizers/smollm2-135m", 49_152],
  ["../shared/tokenizers/qwen3-0.6b", 151_936],
] as const;

export async function threeModRows(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [folder, entries] of vocabularies) {
    const before = calibrate();
    const options = { only: "threeMods", vocabulary: entries } as const;
    const { threeMods } = await measureSandbox(resolve(folder), options);
    const name = `one token, three mods at each of its events, sandboxed, ${entries.toLocaleString("en-US")} entries`;
    rows.push(await timeAtMost(name, threeMods, "ms", 2, [before, calibrate()]));
  }
  return rows;
}
