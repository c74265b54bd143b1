/**
 * The order of the unit test files. Files that take long come first: without times of an earlier run, vitest begins with the files
 * that have most bytes, and a file of five lines with a test of minutes would run last, while the other core has nothing left to do.
 * Component tests come second, together: vitest ends a worker if the next file in the queue needs another environment, and a new
 * worker reads every module again. Spread among the other tests, they made vitest start 30 workers. Between the two groups they
 * make it start anew once, which frees what the long files left in memory.
 */
import { relative } from "node:path";
import type { TestSequencerConstructor, TestSpecification } from "vitest/node";
import { longFiles, longWithModels } from "./long-files.mjs";

const long: ReadonlySet<string> = new Set([...longWithModels, ...Object.values(longFiles).flat()]);

/** Component tests run in happy-dom, all other tests in Node (`groups.test.ts`). */
const isComponentTest = (path: string) => /\.component\.test\.tsx?$/.test(path);

/** Keeps the order otherwise. `pathOf`: the path of a file, relative to the root, with slashes. */
export function sortFiles<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const groupOf = (file: File): number => {
    const path = pathOf(file);
    if (long.has(path)) return 0;
    return isComponentTest(path) ? 1 : 2;
  };
  return files.toSorted((one, other) => groupOf(one) - groupOf(other));
}

/** Imports vitest when it is called: the configuration of vite, which imports this file, also builds the page. */
export async function longFilesFirst(): Promise<TestSequencerConstructor> {
  const { BaseSequencer } = await import("vitest/node");
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const { root } = this.ctx.config;
      const pathOf = ({ moduleId }: TestSpecification) => relative(root, moduleId).replaceAll("\\", "/");
      return sortFiles(await super.sort(files), pathOf);
    }
  };
}
