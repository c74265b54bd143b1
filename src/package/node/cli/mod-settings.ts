/** Reads `mods.json` in the folder of `--mods`: limits of each mod, and whether it runs in a sandbox. */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { formatNameSuggestion, type OptionKeys, refuseUnknownKeys } from "../../../core/base/known-keys.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import { isRecord } from "../../../core/base/record.ts";
import {
  type Deadlines,
  defaultDeadlines,
  limitRanges,
} from "../../../runtime/session/shared/request-limits.ts";
import { defaultRealmLimits } from "../quickjs/quickjs-pool.ts";
import { listModFiles, type ModFileSettings } from "./mod-files.ts";
import { UsageError } from "./terminal.ts";

export const modSettingsFile = "mods.json";

/** The key for all mods of the folder. A mod's own fields replace its fields. */
const everyMod = "*";
const mebibyte = 2 ** 20;
/** Mebibytes. A sandbox's program and a small tokenizer take 16. */
export const memoryRange = { min: 20, max: defaultRealmLimits.memory / mebibyte } as const;

interface ModSettings {
  readonly deadlines?: Partial<Deadlines>;
  readonly memoryMiB?: number;
  readonly trusted?: boolean;
}

const settingKeys: OptionKeys<ModSettings> = { deadlines: true, memoryMiB: true, trusted: true };

/**
 * The mods of a folder, sorted by name, each with its settings.
 * @param isAllowedTrust whether `--trusted-mods` was given: without it, nobody who may write to the folder can leave the sandbox
 * @throws UsageError that names the file, the path of the value and the allowed values
 */
export async function readModsFolder(
  folder: string,
  isAllowedTrust: boolean,
): Promise<readonly ModFileSettings[]> {
  const paths = await listModFiles(folder);
  const file = join(folder, modSettingsFile);
  const settings = await readSettings(
    file,
    paths.map((path) => basename(path)),
  );
  const shared = settings.get(everyMod) ?? {};
  return paths.map((path) => {
    const name = basename(path);
    const own = settings.get(name) ?? {};
    return fileSettings(path, { own, shared, isAllowedTrust, at: `${file}: ${name}` });
  });
}

interface SettingsOfMod {
  readonly own: ModSettings;
  readonly shared: ModSettings;
  readonly isAllowedTrust: boolean;
  readonly at: string;
}

function fileSettings(path: string, { own, shared, isAllowedTrust, at }: SettingsOfMod): ModFileSettings {
  const { memoryMiB, trusted } = { ...shared, ...own };
  const deadlines = { ...shared.deadlines, ...own.deadlines };
  if (trusted === true && !isAllowedTrust)
    throw new UsageError(
      `${at} has "trusted": true, but mods may run without a sandbox only with --trusted-mods. Start with --trusted-mods, or remove "trusted".`,
    );
  const isTrusted = trusted ?? isAllowedTrust;
  // A mod that says "trusted" itself leaves the limit for the others behind.
  const isLimitMeant = own.memoryMiB !== undefined || own.trusted !== true;
  if (isTrusted && memoryMiB !== undefined && isLimitMeant)
    throw new UsageError(
      `${at} has a memory limit of ${memoryMiB} MiB, but runs without a sandbox, where memory cannot be limited. Add "trusted": false, or remove "memoryMiB".`,
    );
  const memory = isTrusted || memoryMiB === undefined ? null : memoryMiB * mebibyte;
  return { path, isTrusted, limits: { deadlines, ...(memory !== null && { memory }) } };
}

/** No settings if the file does not exist. @throws UsageError */
async function readSettings(
  file: string,
  mods: readonly string[],
): Promise<ReadonlyMap<string, ModSettings>> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return "{}";
    throw new UsageError(`${file} cannot be read: ${cause.message}.`, { cause });
  });
  const all = objectAt(file, parsed(file, text));
  const unknown = Object.keys(all).find((name) => name !== everyMod && !mods.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `${file}: ${JSON.stringify(unknown)} is not a mod file in this folder. ${suggestedFile(unknown, mods)}`,
    );
  return new Map(Object.entries(all).map(([name, value]) => [name, checkedSettings(file, name, value)]));
}

/** A name without its ending is the most likely mistake. */
function suggestedFile(name: string, mods: readonly string[]): string {
  const ended = mods.find((mod) => mod.startsWith(`${name}.`));
  return ended === undefined ? formatNameSuggestion(name, [...mods, everyMod]) : `Did you mean "${ended}"?`;
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${file} is not JSON: ${messageOf(cause)}.`, { cause });
  }
}

/** @throws UsageError */
function checkedSettings(file: string, name: string, value: unknown): ModSettings {
  const at = `${file}: ${name}`;
  const settings = objectAt(at, value);
  refuseUnknown(file, settings, Object.keys(settingKeys), name);
  const { deadlines, memoryMiB, trusted } = settings;
  if (trusted !== undefined && typeof trusted !== "boolean")
    throw wrongValue(`${at}.trusted`, trusted, "true or false");
  if (memoryMiB !== undefined) checkNumber(`${at}.memoryMiB`, memoryMiB, memoryRange);
  if (deadlines !== undefined) {
    const given = objectAt(`${at}.deadlines`, deadlines);
    refuseUnknown(file, given, Object.keys(defaultDeadlines), `${name}.deadlines`);
    for (const [event, ms] of Object.entries(given))
      checkNumber(`${at}.deadlines.${event}`, ms, limitRanges.deadline);
  }
  return settings;
}

function refuseUnknown(file: string, value: object, known: readonly string[], path: string): void {
  refuseUnknownKeys(value, known, path, (message) => new UsageError(`${file}: ${message}`));
}

/** @throws UsageError */
function objectAt(at: string, value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw wrongValue(at, value, "an object");
}

/** @throws UsageError */
function checkNumber(at: string, value: unknown, { min, max }: { min: number; max: number }): void {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return;
  throw wrongValue(at, value, `a whole number from ${min} to ${max}`);
}

function wrongValue(at: string, value: unknown, expected: string): UsageError {
  return new UsageError(`${at} is ${JSON.stringify(value)}: give ${expected}.`);
}
