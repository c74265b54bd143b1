/** Links and files that were sound once and were then damaged, opened by the decoders in this process. */
import { type Mutant, mutants } from "../../../src/core/trace/testing/mutants.ts";
import { maximumReadingSteps, openMutant } from "../../../src/core/trace/testing/open-mutant.ts";
import { atMost, type BenchRow, exactly, figure, timeAtMost } from "../machine.ts";

/** The same ones every time. */
const seed = 100_000;

interface Seen {
  opened: number;
  /** Inputs that ended neither with a run nor with a TraceError, each with its name and message. */
  readonly crashes: string[];
  slowest: { readonly name: string; readonly ms: number };
  /** The largest share of the steps that its length allows. */
  work: { readonly name: string; readonly share: number };
}

export async function mutationRows(count: number): Promise<BenchRow[]> {
  const seen: Seen = {
    opened: 0,
    crashes: [],
    slowest: { name: "", ms: 0 },
    work: { name: "", share: 0 },
  };
  const before = megabytesAtMost();
  let done = 0;
  for (const mutant of mutants(seed, count)) {
    open(mutant, done, seen);
    done += 1;
    if (done % 10_000 === 0) console.error(`${done} of ${count} opened, ${new Date().toISOString()}`);
  }
  return [
    figure("damaged links and files", done, "opened"),
    figure("  of them still sound", seen.opened, "opened"),
    exactly("  that did anything but open or be refused with words", seen.crashes.length, "crashes", 0),
    await timeAtMost(`  slowest (${seen.slowest.name})`, seen.slowest.ms, "ms", 1000),
    atMost(`  most work, of what its length allows (${seen.work.name})`, 100 * seen.work.share, "%", 100),
    atMost("  memory of the process, above what it had before", megabytesAtMost() - before, "MB", 300),
  ];
}

function open(mutant: Mutant, number: number, seen: Seen): void {
  const name = `${mutant.name}, ${number}`;
  const start = performance.now();
  try {
    const { isOpened, steps } = openMutant(mutant);
    if (isOpened) seen.opened += 1;
    const share = steps / maximumReadingSteps(mutant);
    if (share > seen.work.share) seen.work = { name, share };
  } catch (cause) {
    seen.crashes.push(name);
    console.error(`${name}: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`);
  }
  const ms = performance.now() - start;
  if (ms > seen.slowest.ms) seen.slowest = { name, ms };
}

/** The most memory that this process has had so far. */
const megabytesAtMost = (): number => process.resourceUsage().maxRSS / 1_000;
