/** Reads the file of `--key-file`: one API key per line, with a name and limits. */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { messageOf } from "../../../core/base/message-of.ts";

export interface KeyLimits {
  /** The most requests in progress. */
  readonly concurrent: number;
  /** Requests per minute; null for no limit. */
  readonly rpm: number | null;
  /** Tokens of prompts and outputs per minute; null for no limit. */
  readonly tpm: number | null;
}

export interface ApiKey {
  /** The key's name for the request log; never the key itself. */
  readonly name: string;
  /** SHA-256 of the key, in hexadecimal digits. */
  readonly digest: string;
  readonly limits: KeyLimits;
  /** Whether the line has the word `mods`. */
  readonly mayChangeMods: boolean;
}

/** One key must not be able to use all requests that a server answers at the same time. */
export const defaultKeyLimits: KeyLimits = { concurrent: 64, rpm: null, tpm: null };

/** With this word after its name, a key may register mods despite `--fixed-mods`. */
const modsWord = "mods";
const mostBytes = 1_048_576;
const shortestKey = 16;

export const digestOf = (key: string): string => createHash("sha256").update(key).digest("hex");

/** Rejects with an Error that says what is wrong with the file. The message never contains a key. */
export async function readKeyFile(path: string): Promise<readonly ApiKey[]> {
  const about = await stat(path).catch((cause: unknown) => {
    throw new Error(`The key file ${path} cannot be read: ${messageOf(cause)}.`, { cause });
  });
  if (!about.isFile()) throw new Error(`The key file ${path} is not a regular file.`);
  // Windows has no such permission bits.
  if (process.platform !== "win32" && (about.mode & 0o077) !== 0) {
    const mode = (about.mode & 0o777).toString(8);
    throw new Error(
      `The key file ${path} can be read or written by other users (mode ${mode}): run chmod 600 ${path}.`,
    );
  }
  if (about.size > mostBytes) throw new Error(`The key file ${path} has more than ${mostBytes} bytes.`);
  return parseKeys(await readFile(path, "utf8"), path);
}

/**
 * One key per line: `KEY`, `KEY NAME`, or `KEY NAME concurrent=2 rpm=60 tpm=20000`. Empty lines and lines that begin with
 * `#` are skipped.
 * @throws Error that names the line
 */
export function parseKeys(text: string, path: string): readonly ApiKey[] {
  const keys: ApiKey[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "" || words[0]?.startsWith("#")) continue;
    const fail = (problem: string): never => {
      throw new Error(`The key file ${path}, line ${index + 1}: ${problem}.`);
    };
    const key = parseLine(words, { fail, unnamed: `key-${index + 1}` });
    if (keys.some(({ digest }) => digest === key.digest)) fail("this key is also in an earlier line");
    if (keys.some(({ name }) => name === key.name)) fail(`the name "${key.name}" is also in an earlier line`);
    keys.push(key);
  }
  if (keys.length === 0) throw new Error(`The key file ${path} has no key: write one key per line.`);
  return keys;
}

interface LineContext {
  fail(problem: string): never;
  readonly unnamed: string;
}

function parseLine([key = "", ...rest]: readonly string[], { fail, unnamed }: LineContext): ApiKey {
  // Browsers and clients can reliably send only these characters in a header.
  if (!/^[\x21-\x7e]+$/.test(key)) fail("the key has characters that are not ASCII");
  if (key.length < shortestKey)
    fail(`the key has ${key.length} characters: use at least ${shortestKey} random characters`);
  const [first = "", ...others] = rest;
  const isNamed = first !== "" && !first.includes("=");
  const name = isNamed ? first : unnamed;
  if (!/^[\w.@-]{1,64}$/.test(name))
    fail('the name may contain only letters, digits, "_", ".", "@" and "-", at most 64 characters');
  const words = isNamed ? others : rest;
  let limits = defaultKeyLimits;
  for (const word of words) if (word !== modsWord) limits = { ...limits, ...parseLimit(word, fail) };
  return { name, digest: digestOf(key), limits, mayChangeMods: words.includes(modsWord) };
}

function parseLimit(word: string, fail: (problem: string) => never): Partial<KeyLimits> {
  const [, limit = "", value = ""] = /^(\w+)=(\d+)$/.exec(word) ?? [];
  const count = Number(value);
  if (!Object.hasOwn(defaultKeyLimits, limit)) {
    return fail(
      `after the name come only concurrent=N, rpm=N (requests a minute), tpm=N (tokens a minute) and mods (may change the mods)`,
    );
  }
  if (!Number.isSafeInteger(count) || count < 1) return fail(`${limit} must be a whole number of at least 1`);
  return { [limit]: count };
}
