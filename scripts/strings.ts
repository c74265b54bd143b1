/** Prints every sentence and label that users read, by file, with line numbers. */
import { readFileSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { programs } from "./testing/programs.ts";
import { userStrings } from "./user-strings.ts";

const root = resolve(import.meta.dirname, "..");
const asked = process.argv.slice(2);
const places = asked.length === 0 ? ["src", "scripts/start.mjs", "scripts/serve.ts"] : asked;

const isTestCode = (path: string) =>
  /(\.(test|conformance|property)\.tsx?|\.d\.ts|\/testing\/.*)$/.test(path);

const paths = places.flatMap((place) => {
  const path = relative(root, resolve(place));
  return statSync(resolve(root, path)).isDirectory() ? programs(root, path) : [path];
});

let count = 0;
for (const path of paths.filter((path) => /\.(tsx?|mjs)$/.test(path) && !isTestCode(path))) {
  const strings = userStrings(path, readFileSync(resolve(root, path), "utf8"));
  if (strings.length === 0) continue;
  console.log(`\n${path}`);
  for (const { line, text } of strings) console.log(`${String(line).padStart(5)}  ${text}`);
  count += strings.length;
}
console.log(`\n${count} strings.`);
