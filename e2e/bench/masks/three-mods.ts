/**
 * What three mods cost a token: each in its sandbox, each asked at every event of a step, one of them following a strategy.
 * Asked one token after the other; and in the decode loop, which also does what they answer (each row is edited twice) and
 * writes it down, on a model that costs nothing.
 */
import { resolve } from "node:path";
import { type BenchRow, calibrate, figure, timeAtMost } from "../machine.ts";
import { measureSandbox } from "../sandbox/measure.ts";

const limit = 2;

/** The bundled model's, SmolLM2's, and, without a limit, Qwen3's: choosing the likeliest of so many takes 0.2 ms of it. */
const vocabularies = [
  { folder: "public/models/stories260k", entries: 512, isHeld: true },
  { folder: "../shared/tokenizers/smollm2-135m", entries: 49_152, isHeld: true },
  { folder: "../shared/tokenizers/qwen3-0.6b", entries: 151_936, isHeld: false },
] as const;

export async function threeModRows(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { folder, entries, isHeld } of vocabularies) {
    const before = calibrate();
    const options = { only: "threeMods", vocabulary: entries } as const;
    const { threeMods, threeModsInLoop } = await measureSandbox(resolve(folder), options);
    const calibrations = [before, calibrate()];
    const name = `one token, three mods at each of its events, sandboxed, ${entries.toLocaleString("en-US")} entries`;
    rows.push(
      isHeld ? await timeAtMost(name, threeMods, "ms", limit, calibrations) : figure(name, threeMods, "ms"),
      figure(`${name}, with the loop's own work on their answers`, threeModsInLoop, "ms"),
    );
  }
  return rows;
}
