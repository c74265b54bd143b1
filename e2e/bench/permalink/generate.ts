/**
 * Links and files that are made to do harm, made in a process of their own while the page reads the ones before. The process
 * is this very file: `fork`ed, it makes them and sends them, at most `most` ahead of what was taken.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { TraceError } from "../../../src/core/trace/format/trace-error.ts";
import { hostileFiles } from "../../../src/core/trace/testing/hostile-files.ts";
import { attacks, hostileLink, hostileTrace } from "../../../src/core/trace/testing/hostile-traces.ts";

/** The longest links that are opened here, in characters. */
const longest = 100_000;

/** The links of the review, then generated ones by seed, those that are too long left out; or those of the seeds alone. */
function* hostileLinks(
  count: number,
  seeds: readonly number[],
): Generator<readonly [name: string, link: string]> {
  for (const seed of seeds) yield [`link of seed ${seed}`, linkOfSeed(seed) ?? ""];
  if (seeds.length > 0) return;
  for (const [name, make] of Object.entries(attacks)) yield [name, hostileLink(make())];
  for (let seed = 1, made = Object.keys(attacks).length; made < count; seed += 1) {
    const link = linkOfSeed(seed);
    if (link === null || link.length > longest) continue;
    made += 1;
    yield [`link of seed ${seed}`, link];
  }
}

/**
 * Null for a trace that has no link: its texts together are longer than any string can be, or a record has more entries than are
 * written.
 */
function linkOfSeed(seed: number): string | null {
  try {
    // Most are small: what each holds is drawn from all sizes.
    return hostileLink(hostileTrace(seed, seed % 8 === 0 ? 1 : 0.1));
  } catch (cause) {
    if (cause instanceof RangeError || cause instanceof TraceError) return null;
    throw cause;
  }
}

const kinds = { links: hostileLinks, files: hostileFiles };

/** The outputs for each kind. */
interface Made {
  readonly links: string;
  readonly files: Uint8Array;
}

/** How many are made before they are asked for: files have up to 64 MB. */
const most = 4;

/** The first so many of the kind, or the links of some seeds, each with its name, in the same order every time. */
export async function* hostileOnes<Kind extends keyof Made>(
  kind: Kind,
  count: number,
  seeds: readonly number[] = [],
): AsyncGenerator<readonly [name: string, made: Made[Kind]]> {
  const path = fileURLToPath(import.meta.url);
  const maker = fork(path, [kind, String(count), seeds.join(",")], { serialization: "advanced" });
  try {
    const waiting: (readonly [string, Made[Kind]])[] = [];
    let wake: () => void = () => {};
    let failure: Error | null = null;
    maker.on("message", (made) => {
      waiting.push(made as readonly [string, Made[Kind]]);
      wake();
    });
    maker.on("exit", (code) => {
      failure = new Error(`The process that makes ${kind} ended with ${code}.`);
      wake();
    });
    for (let taken = 0; taken < count; taken += 1) {
      while (waiting.length === 0) {
        if (failure) throw failure;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      yield waiting.shift() as readonly [string, Made[Kind]];
      if (maker.connected) maker.send("taken");
    }
  } finally {
    maker.kill();
  }
}

async function make(kind: keyof Made, count: number, seeds: readonly number[]): Promise<void> {
  let ahead = 0;
  let wake: () => void = () => {};
  process.on("message", () => {
    ahead -= 1;
    wake();
  });
  for (const made of kinds[kind](count, seeds)) {
    process.send?.(made);
    ahead += 1;
    // A turn, in which what was taken is heard of, even where none is waited for.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (ahead >= most) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
}

const [, , kind, count, seeds] = process.argv;
if (process.send && (kind === "links" || kind === "files"))
  await make(kind, Number(count), seeds ? seeds.split(",").map(Number) : []);
