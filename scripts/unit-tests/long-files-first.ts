/**
 * The order of the unit test files: files that take long come first. Without times of an earlier run, vitest begins with the files
 * that have most bytes. Then a file of five lines with a test of minutes runs last, while the other core has nothing left to do.
 */
import { relative } from "node:path";
import type { TestSequencerConstructor, TestSpecification } from "vitest/node";
import { longFiles, longWithModels } from "./long-files.mjs";

const long: ReadonlySet<string> = new Set([...longWithModels, ...Object.values(longFiles).flat()]);

/** Keeps the order otherwise. `pathOf`: the path of a file, relative to the root, with slashes. */
export function sortLongFirst<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const isLong = (file: File) => long.has(pathOf(file));
  return [...files.filter(isLong), ...files.filter((file) => !isLong(file))];
}

/** Imports vitest when it is called: the configuration of vite, which imports this file, also builds the page. */
export async function longFilesFirst(): Promise<TestSequencerConstructor> {
  const { BaseSequencer } = await import("vitest/node");
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const { root } = this.ctx.config;
      const pathOf = ({ moduleId }: TestSpecification) => relative(root, moduleId).replaceAll("\\", "/");
      return sortLongFirst(await super.sort(files), pathOf);
    }
  };
}
