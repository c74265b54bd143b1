/** The rows of three mods at each event: held to their limit, beside a bare echo of the same messages. */
import { type BenchRow, figure, timeAtMost } from "../machine.ts";
import type { TokenOfMods } from "./token-of-mods.ts";

/** Milliseconds per token, the decode loop's own work included. */
const limit = 2;

/** @param calibrations what `calibrate()` gave around the measurement. */
export async function threeModRows(
  entries: number,
  figures: TokenOfMods,
  calibrations: readonly number[],
): Promise<BenchRow[]> {
  const name = `three mods at each event, ${entries.toLocaleString("en-US")} entries`;
  const whole = `${name}, per token, the loop's work included`;
  const held = (what: string, value: number) => timeAtMost(what, value, "ms", limit, calibrations);
  return [
    await held(`${whole}: median of ${figures.requests} requests of 100 tokens`, figures.median),
    await held(`${whole}: mean`, figures.mean),
    figure(`${whole}: median where each pass waits for the answers to added`, figures.waitingMedian, "ms"),
    figure(`${name}: bare echo of the same messages, median`, figures.echoMedian, "ms"),
    figure(`${name}: bare echo of the same messages, mean`, figures.echoMean, "ms"),
    figure(`${name}: over the bare echo, of the medians`, figures.overEcho, "×"),
    figure(`${name}: messages to mods, per token; as many come back`, figures.messages, ""),
    figure(`${name}: in round trips one after the other, the last beside the next pass`, figures.rounds, ""),
    figure(`${name}: one round trip of one echo`, figures.oneEcho, "ms"),
  ];
}
