/**
 * Runs the tests of models on servers, and searches everything that Midtoken writes during these tests for the keys that the
 * tests used.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { bin } from "../install.mjs";

/** Tests in which Midtoken talks to a server or serves others, apart from `examples.remote.test.ts`, which has no key and takes minutes. */
const suite = [
  "src/runtime/remote",
  "src/runtime/session/server-",
  "src/package/node/cli/serve-",
  "src/package/node/serve",
  "src/package/node/store",
  "src/package/node/remote-engine.test.ts",
  "src/package/http",
  "src/core/decoder/loop/decode.server.test.ts",
];
/** Shorter keys are words such as "none", which occur in ordinary texts. */
const shortestKey = 8;

export interface LeakedKeySearch {
  readonly keys: number;
  readonly bytes: number;
  /** One line for each place in which a key stands; the line does not repeat the key. */
  readonly found: readonly string[];
  /** Whether the command ended without an error. */
  readonly hasPassed: boolean;
}

/** @param files the test files to run; the whole suite unless given */
export function searchLeakedKeys(files: readonly string[] = suite): Promise<LeakedKeySearch> {
  return searchLeakedKeysOfCommand([bin("vitest"), "run", ...files]);
}

/** Runs a command, and searches everything that the command and its processes write. */
export async function searchLeakedKeysOfCommand([
  command = "",
  ...words
]: readonly string[]): Promise<LeakedKeySearch> {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-recorded-"));
  try {
    const hook = pathToFileURL(resolve("scripts/remote/record-output.mjs"));
    const environment = {
      ...process.env,
      MIDTOKEN_RECORDED: folder,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import ${hook.href}`.trim(),
    };
    const child = spawn(command, words, { env: environment, stdio: "inherit" });
    const code = await new Promise((done) => child.once("exit", done));
    return { ...searchIn(folder), hasPassed: code === 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function searchIn(folder: string): Omit<LeakedKeySearch, "hasPassed"> {
  const read = (kind: string): readonly (readonly [string, string])[] =>
    readdirSync(folder)
      .filter((name) => name.startsWith(kind))
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]);
  const lines = read("keys-").flatMap(([, text]) => text.split("\n"));
  const keys = [...new Set(lines)].filter((key) => key.length >= shortestKey);
  const outputs = read("output-");
  const found = outputs.flatMap(([name, text]) =>
    keys.flatMap((key, place) =>
      placesOf(key, text).map(
        (at) =>
          `key ${place + 1} in ${name} after ${JSON.stringify(text.slice(0, at).replaceAll(key, "[key]").slice(-60))}`,
      ),
    ),
  );
  return { keys: keys.length, bytes: outputs.reduce((sum, [, text]) => sum + text.length, 0), found };
}

function placesOf(key: string, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + 1)) places.push(at);
  return places;
}
