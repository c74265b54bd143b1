/** What three mods cost a token: each in its sandbox, each asked at every event of a step, one of them following a strategy. */
import { resolve } from "node:path";
import { type BenchRow, calibrate, timeAtMost } from "../machine.ts";
import { vocabulary } from "../sandbox/figures.ts";
import { measureSandbox } from "../sandbox/measure.ts";

export async function threeModRows(): Promise<BenchRow[]> {
  const before = calibrate();
  const { threeMods } = await measureSandbox(resolve("public/models/stories260k"), "threeMods");
  const entries = `${vocabulary.toLocaleString("en-US")} entries`;
  const name = `one token, three mods at each of its events, sandboxed, ${entries}`;
  return [await timeAtMost(name, threeMods, "ms", 2, [before, calibrate()])];
}
