/** Prints every sentence and label that users read, by file, with line numbers. */
import { listStrings } from "./list-strings.ts";

const files = listStrings(process.argv.slice(2));
for (const { path, strings } of files) {
  console.log(`\n${path}`);
  for (const { line, text } of strings) console.log(`${String(line).padStart(5)}  ${text}`);
}
console.log(`\n${files.reduce((count, { strings }) => count + strings.length, 0)} strings.`);
