/** Rows of a contest: each rival's time, and how they compare. */
import { atLeast, atMost, type BenchRow, figure } from "../machine.ts";
import { mean, median } from "../statistics.ts";
import type { ContestResult, Entrant, RivalKind } from "./contest.ts";

/**
 * Each value is the mean over one round's tokens; of the rounds, the median counts. Rivals are compared round by round,
 * because they took turns there: what else the machine did meanwhile met both.
 */
export function compare(
  a: readonly number[],
  b: readonly number[],
  by: (a: number, b: number) => number,
): number {
  return median(a.map((value, round) => by(value, b[round] ?? Number.NaN)));
}
export const ratio = (a: readonly number[], b: readonly number[]): number => compare(a, b, (x, y) => x / y);
export const excess = (a: readonly number[], b: readonly number[]): number => compare(a, b, (x, y) => x - y);

const words: Readonly<Record<RivalKind, string>> = {
  ours: "decode()",
  peer: "generate() of @huggingface/transformers",
  forward: "our forward() alone",
  bare: "bare session.run",
  wllama: "wllama",
};

export const threadWords = (threads: number): string => `${threads} ${threads === 1 ? "thread" : "threads"}`;

/** Entrants of these kinds, each with so many threads. */
export function entrantsOf(kinds: readonly RivalKind[], threads: number): Entrant[] {
  return kinds.map((kind) => ({ name: kind, kind, threads }));
}

/** Every rival's time per token: the mean of its rounds, and their median. */
export function perToken(
  where: string,
  { times }: ContestResult,
  { entrants, rounds, timedTokens }: { entrants: readonly Entrant[]; rounds: number; timedTokens: number },
): BenchRow[] {
  return entrants.flatMap(({ name, kind }) => {
    const { perTokenMs } = times[name] ?? { perTokenMs: [] };
    const what = `${where}: ${words[kind]}, per token, of ${rounds} rounds of ${timedTokens}`;
    return [
      figure(`${what}, mean`, mean(perTokenMs), "ms"),
      figure(`${what}, median`, median(perTokenMs), "ms"),
    ];
  });
}

/** Times per token of a rival, by its name. @throws Error when it took no part. */
export function timesOf({ times }: ContestResult, name: string): readonly number[] {
  const found = times[name];
  if (!found) throw new Error(`${name} took no part.`);
  return found.perTokenMs;
}

/** The loop over its bounds, and over the peer. */
export function overBounds(
  where: string,
  result: ContestResult,
  limits: { readonly bound: number; readonly peer: number },
): BenchRow[] {
  const ours = timesOf(result, "ours");
  return [
    atMost(
      `${where}: decode() over our forward() alone`,
      ratio(ours, timesOf(result, "forward")),
      "×",
      limits.bound,
    ),
    atMost(
      `${where}: decode() over the bare session.run`,
      ratio(ours, timesOf(result, "bare")),
      "×",
      limits.bound,
    ),
    atLeast(`${where}: generate() over decode()`, ratio(timesOf(result, "peer"), ours), "×", limits.peer),
  ];
}
