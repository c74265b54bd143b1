/** The browser and our own code inflate the same bytes to the same result. */
import { zlibSync } from "fflate";
import { expect, test } from "vitest";
import type { WaitingWork } from "../../base/resumable-work.ts";
import { seededRandom } from "../testing/sample-trace.ts";
import { presetDictionary } from "./dictionary.ts";
import { inflatingNatively } from "./inflating-natively.ts";
import { packing } from "./pack.ts";
import { type ColumnChunks, packings, unpacking } from "./packing.ts";

async function inTheEnd<Result>(steps: WaitingWork<Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await step.value;
  }
}

function packed(whole: Uint8Array) {
  const steps = packing([whole]);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const random = seededRandom(3);
const noise = Uint8Array.from({ length: 1_500_000 }, () => Math.floor(random() ** 3 * 256));
const text = new TextEncoder().encode(new TextDecoder().decode(presetDictionary).repeat(400));
const joined = (column: ColumnChunks | undefined) => Buffer.concat(column ?? []);

test.each([
  ["noise", noise, packings.deflate],
  ["text that points back to the dictionary", text, packings.deflateDictionary],
])("%s", async (_, whole, way) => {
  const { packing: found, bytes } = packed(whole);
  expect(found).toBe(way);
  const lengths = [10, whole.length - 11, 1];
  const columns = await inTheEnd(unpacking({ packing: way, bytes }, lengths, inflatingNatively));
  expect(columns.map((column) => column.reduce((sum, { length }) => sum + length, 0))).toEqual(lengths);
  expect(joined(columns.flat()).equals(whole)).toBe(true);
  // The column comes in chunks, so that chunks which were read can be freed.
  expect(columns[1]?.length).toBeGreaterThan(3);
});

const { bytes } = packed(noise);
test.each<[string, Uint8Array, number, string]>([
  ["cut off", bytes.slice(0, -100), noise.length, "cannot be unpacked"],
  ["no deflated bytes", zlibSync(noise), noise.length, "cannot be unpacked"],
  ["more than it says", bytes, noise.length - 1, "unpacks to more than it says"],
  ["less than it says", bytes, noise.length + 1, "has the wrong length"],
])("damaged: %s", async (_, given, length, message) => {
  const steps = unpacking({ packing: packings.deflate, bytes: given }, [length], inflatingNatively);
  await expect(inTheEnd(steps)).rejects.toThrow(`The trace is damaged: a section ${message}`);
});
