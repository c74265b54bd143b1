/** The parts of a bench that has several: all of them one after the other, or those that `--only` names. */
import { type BenchRow, machine, printBench } from "./machine.ts";

export type ShowRows = (rows: readonly BenchRow[]) => void;

/** Returns its rows at its end, or in parts as they come; or passes each part to `show` and returns the rows that are left. */
type Section = (show: ShowRows) => Promise<BenchRow[]> | AsyncIterable<BenchRow[]>;
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
  // At once, for a run that is cut off before its table is printed: on a lent machine, say.
  const show: ShowRows = (own) => {
    rows.push(...own);
    for (const row of own) console.error(`  ${JSON.stringify(row)}`);
  };
  for (const name of wanted) {
    console.error(`${name} …`);
    const start = performance.now();
    for await (const own of partsOf(all[name]?.(show))) show(own);
    console.error(`${name}: ${Math.round((performance.now() - start) / 1000)} s`);
  }
  printBench({ bench, machine: here, rows }, json);
}

function partsOf(
  found: ReturnType<Section> = Promise.resolve([]),
): AsyncIterable<BenchRow[]> | Iterable<Promise<BenchRow[]>> {
  return Symbol.asyncIterator in found ? found : [found];
}
