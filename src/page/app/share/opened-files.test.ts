import { expect, test } from "vitest";
import { exportFormats } from "../../../core/trace/file/export-formats/export-format.ts";
import { openableFileEndings } from "./opened-files.ts";

test("the file dialog offers every kind of file that holds a run", () => {
  const offered = openableFileEndings.split(",");
  expect(exportFormats.map(({ ending }) => ending).filter((ending) => !offered.includes(ending))).toEqual([]);
});
