/** Loads test files. They are the user's own code, so they run without a sandbox. */
import { randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../../core/base/message-of.ts";
import { stripTypes } from "../../../runtime/sandbox/strip-types.ts";
import { type ModTests, readModTests } from "./mod-tests.ts";
import { UsageError } from "./terminal.ts";

/** @throws UsageError if the file cannot be read; TypeError if it does not contain tests; Error that names the file and the line if its code throws. */
export async function loadTestFile(file: string): Promise<ModTests> {
  const path = resolve(file);
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be read: ${(cause as Error).message}.`, { cause });
  });
  if (extname(path) === ".json") return readModTests(file, parseTests(file, text));
  const { default: tests } = (await importText(file, path, text)) as { default?: unknown };
  return readModTests(file, tests);
}

function parseTests(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TypeError(`${file} is not JSON: ${(cause as Error).message}.`, { cause });
  }
}

/** At the start of the copy's first line. Removes the copy, also if the code after it never ends. */
const removeCopy = `import{rmSync as midtokenRemove}from"node:fs";midtokenRemove(new URL(import.meta.url));`;

/**
 * Imports TypeScript, which Node 20 cannot: writes the file without its types beside the original, so that its relative
 * imports work.
 */
async function importText(file: string, path: string, text: string): Promise<unknown> {
  const plain = resolve(dirname(path), `.midtoken-${randomUUID()}.mjs`);
  try {
    await writeFile(plain, removeCopy + stripTypes(text), { flag: "wx" });
    return await import(
      /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ pathToFileURL(plain).href
    );
  } catch (cause) {
    throw new Error(`${file}${placeOf(cause, plain)}: ${messageOf(cause)}`, { cause });
  } finally {
    await rm(plain, { force: true });
  }
}

/** The line of an error in the file, as `:3`; "" if the error has no position in it. */
function placeOf(error: unknown, plain: string): string {
  const { stack = "", message = "" } = error instanceof Error ? error : {};
  const place = stack.split(basename(plain))[1] ?? "";
  // Both files have the same lines. An error while types are removed names the line in its message.
  const line = /^:(\d+)/.exec(place)?.[1] ?? /\((\d+):\d+\)/.exec(message)?.[1];
  return line === undefined ? "" : `:${line}`;
}
