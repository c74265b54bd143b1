/** Valid links and files, damaged in many ways: each opens as a valid run or fails with a TraceError, after bounded work. `npm run bench -- permalink --mutations=100000` opens more of them. */
import { expect, test } from "vitest";
import { decodeTraceFile, encodeTraceFile } from "./codec/codec.ts";
import { type Mutant, mutants, mutationNames } from "./testing/mutants.ts";
import { columnsOfFile, fileOfColumns, structuralPlaces, withValidChecksum } from "./testing/mutate-bytes.ts";
import { maximumReadingSteps, openMutant } from "./testing/open-mutant.ts";
import { sampleTrace } from "./testing/sample-trace.ts";

test("2,000 of them", () => {
  const seen = new Map(mutationNames.map((name) => [name, { opened: 0, refused: 0 }]));
  for (const mutant of mutants(10, 2_000)) {
    const { isOpened, steps } = openMutant(mutant);
    expect(steps).toBeLessThanOrEqual(maximumReadingSteps(mutant));
    const counts = seen.get(mutant.name);
    if (counts) counts[isOpened ? "opened" : "refused"] += 1;
  }
  // Each mutation must damage something. Mutations with a valid checksum must also leave some files that open; otherwise only
  // the checksum would be tested.
  expect([...seen].filter(([, { refused }]) => refused === 0)).toEqual([]);
  const opened = [...seen].filter(([, counts]) => counts.opened > 0).map(([name]) => name);
  for (const name of ["bits flipped", "version changed", "columns changed"])
    expect(opened.filter((each) => each.endsWith(`: ${name}`)).length, name).toBeGreaterThanOrEqual(2);
});

test("the same seed gives the same ones, and another seed others", () => {
  const text = ({ fragment, file }: Mutant) => fragment ?? Buffer.from(file).toString("base64");
  const some = (seed: number) => [...mutants(seed, 100)].map(text);
  expect(some(1)).toEqual(some(1));
  expect(some(1)).not.toEqual(some(2));
});

test("what is put together again from its columns is the same trace, and its heads are found", () => {
  const trace = sampleTrace({ tokens: 30 });
  const file = encodeTraceFile(trace);
  expect(decodeTraceFile(fileOfColumns(columnsOfFile(file))).trace).toStrictEqual(trace);
  const places = structuralPlaces(file);
  expect(places.slice(0, 2)).toEqual([0, 1]);
  expect(places.length).toBeGreaterThan(40);
  // The last of these places is the 0 that ends the sections, directly before the checksum.
  expect(places.at(-1)).toBe(file.length - 5);
  expect(withValidChecksum(file)).toEqual(file);
});
