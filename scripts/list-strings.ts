/** Reads the source files with texts for users, and lists these texts by file. */
import { readFileSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { programPaths } from "./testing/programs.ts";
import { type UserString, userStrings } from "./user-strings.ts";

const root = resolve(import.meta.dirname, "..");

const isTestCode = (path: string) =>
  /(\.(test|conformance|property)\.tsx?|\.d\.ts|\/testing\/.*)$/.test(path);

/** Whether the file is a program whose texts users read; tests are not. */
export const mayHaveUserText = (path: string) => /\.(tsx?|mjs)$/.test(path) && !isTestCode(path);

export interface FileStrings {
  /** Relative to the repository. */
  readonly path: string;
  readonly strings: readonly UserString[];
}

/** Lists the texts in the given folders and files; without places, in all of Midtoken. */
export function listStrings(places: readonly string[]): FileStrings[] {
  const asked = places.length === 0 ? ["src", "scripts/start.mjs", "scripts/serve.ts"] : places;
  const paths = asked.flatMap((place) => {
    const path = relative(root, resolve(place));
    return statSync(resolve(root, path)).isDirectory() ? programPaths(root, path) : [path];
  });
  return paths
    .filter(mayHaveUserText)
    .map((path) => ({ path, strings: userStrings(path, readFileSync(resolve(root, path), "utf8")) }))
    .filter(({ strings }) => strings.length > 0);
}
