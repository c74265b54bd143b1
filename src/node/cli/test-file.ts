/** Files of tests, loaded: the user's own code, as that of any test. */
import { randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { stripTypes } from "../../sandbox/strip-types.ts";
import { type ModTests, readModTests } from "./mod-tests.ts";
import { UsageError } from "./terminal.ts";

/** @throws UsageError where the file cannot be read; TypeError where it does not hold tests; what its code throws. */
export async function loadTestFile(file: string): Promise<ModTests> {
  const path = resolve(file);
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be read: ${(cause as Error).message}.`, { cause });
  });
  if (extname(path) === ".json") return readModTests(file, JSON.parse(text));
  const { default: tests } = (await importText(path, text)) as { default?: unknown };
  return readModTests(file, tests);
}

/** Node 20 reads no TypeScript: the types are taken off, in a file beside the first, from which its imports start. */
async function importText(path: string, text: string): Promise<unknown> {
  const plain = resolve(dirname(path), `.midtoken-${randomUUID()}.mjs`);
  await writeFile(plain, stripTypes(text), { flag: "wx" });
  try {
    return await import(
      /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ pathToFileURL(plain).href
    );
  } finally {
    await rm(plain, { force: true });
  }
}
