/** The corpus: schemas of real-world shape, each with valid and invalid instances. All written for this project. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readCase, type SchemaCase, type WrittenCase } from "./cases.ts";
import { generatedCases } from "./generated.ts";

const folder = fileURLToPath(new URL("corpus/", import.meta.url));

/** All cases: the hand-written cases in the order of the files' names, then the generated cases. */
export function readCorpus(): readonly SchemaCase[] {
  return [...readCaseFolder(folder), ...generatedCases()];
}

/** All cases of a folder's JSON files; names are `file/name`. */
export function readCaseFolder(path: string): readonly SchemaCase[] {
  const files = readdirSync(path).filter((file) => file.endsWith(".json"));
  return files.sort().flatMap((file) => {
    const cases: readonly WrittenCase[] = JSON.parse(readFileSync(`${path}/${file}`, "utf8"));
    return cases.map((written) =>
      readCase({ ...written, name: `${file.replace(".json", "")}/${written.name}` }),
    );
  });
}
