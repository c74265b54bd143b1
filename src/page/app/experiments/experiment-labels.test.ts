/** The note below the table of an experiment says what its ranges mean, or why there are none. */
import { expect, test } from "vitest";
import { intervalNote } from "./experiment-labels.ts";

const note = (...made: number[]) => intervalNote(made.map((each) => ({ made: each })));

test("no intervals for one run a row, a warning for two, their kind for more", () => {
  expect(note(1, 1)).toMatch(/one run.*no confidence intervals.*more seeds/);
  expect(note(1, 2)).toMatch(/95% confidence intervals.*Two runs give very wide intervals/);
  expect(note(8, 1)).toMatch(/95% confidence intervals/);
  expect(note(8)).not.toContain("Two runs");
});
