import { expect, test } from "vitest";
import { carriers } from "../../../core/trace/carriers/carrier.ts";
import { openedFiles } from "./opened-files.ts";

test("the file dialog offers every kind of file that holds a run", () => {
  const offered = openedFiles.split(",");
  expect(carriers.map(({ ending }) => ending).filter((ending) => !offered.includes(ending))).toEqual([]);
});
