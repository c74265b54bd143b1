/** The parts of a bench that has several: all of them one after the other, or those that `--only` names. */
import { type BenchRow, machine, printBench } from "./machine.ts";

/** Its rows at its end, or in parts as they come. */
type Section = () => Promise<BenchRow[]> | AsyncIterable<BenchRow[]>;
export type Sections = Readonly<Record<string, Section>>;

/** Runs the sections and prints their rows; each says on the error stream how long it took. `only`: names with commas between them. */
export async function runSections(
  bench: string,
  all: Sections,
  { only, json }: { readonly only?: string | undefined; readonly json: boolean },
): Promise<void> {
  const wanted = only?.split(",") ?? Object.keys(all);
  const unknown = wanted.filter((name) => !(name in all));
  if (unknown.length > 0) {
    console.error(`--only knows no ${unknown.join(", ")}; it knows ${Object.keys(all).join(", ")}.`);
    process.exit(2);
  }
  const here = await machine();
  const rows: BenchRow[] = [];
  for (const name of wanted) {
    console.error(`${name} …`);
    const start = performance.now();
    for await (const own of partsOf(all[name])) {
      rows.push(...own);
      // At once, for a run that is cut off before its table is printed: on a lent machine, say.
      for (const row of own) console.error(`  ${JSON.stringify(row)}`);
    }
    console.error(`${name}: ${Math.round((performance.now() - start) / 1000)} s`);
  }
  printBench({ bench, machine: here, rows }, json);
}

function partsOf(section: Section | undefined): AsyncIterable<BenchRow[]> | Iterable<Promise<BenchRow[]>> {
  const found = section?.() ?? Promise.resolve([]);
  return Symbol.asyncIterator in found ? found : [found];
}
