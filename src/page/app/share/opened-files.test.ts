import { expect, test } from "vitest";
import { runFileFormats } from "../../../core/trace/file/export-formats/export-format.ts";
import { adviceForFile, openableFileEndings } from "./opened-files.ts";

test("the file dialog offers every kind of file that holds a run", () => {
  const offered = openableFileEndings.split(",");
  expect(runFileFormats.map(({ ending }) => ending).filter((ending) => !offered.includes(ending))).toEqual(
    [],
  );
});

test("a file of another kind is answered with the kinds that can be opened", () => {
  const advice = adviceForFile("mod.py", "This is not a recorded run.");
  for (const ending of openableFileEndings.split(",")) expect(advice).toContain(ending);
  expect(adviceForFile("RUN.TRACE", "The trace is damaged.")).toBe("The trace is damaged.");
});
