/**
 * `npm run models -- check`: measures every entry of models.json on the hub again, and fails if something differs. `npm run
 * models -- update` writes the measured values into the file.
 */
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { messageOf } from "../../src/core/base/message-of.ts";
import { parseCatalog } from "../../src/runtime/engine/choose/catalog.ts";
import { type HubMeasurements, readHubMeasurements } from "./measure.ts";

const hubHost = "https://huggingface.co";

/** A field of an entry that differs from the hub. */
export interface CatalogDifference {
  readonly id: string;
  /** For example `weights.q4.bytes`. */
  readonly field: string;
  readonly listed: unknown;
  readonly found: unknown;
}

export interface CheckReport {
  readonly hub: string;
  readonly checked: readonly string[];
  readonly drift: readonly CatalogDifference[];
  /** Models that could not be measured, with the reasons. */
  readonly failures: readonly { readonly id: string; readonly reason: string }[];
  /** Models whose branch `main` is newer than the pinned revision, which is not an error. */
  readonly newer: readonly { readonly id: string; readonly commit: string }[];
}

type Entry = Readonly<Record<string, unknown>> & { readonly id: string };

/** Names of licences on the hub → names in models.json. */
const licences: Readonly<Record<string, string>> = {
  "apache-2.0": "Apache-2.0",
  mit: "MIT",
  gemma: "Gemma terms",
  "llama3.2": "Llama 3.2 Community",
  "lfm1.0": "LFM Open License 1.0",
};

/** Compares an entry of models.json with the hub. Sizes must be equal to the byte. */
export function compareEntry(entry: Entry, found: HubMeasurements): CatalogDifference[] {
  const drift: CatalogDifference[] = [];
  const compare = (field: string, listed: unknown, measured: unknown): void => {
    if (measured === null || listed === measured) return;
    drift.push({ id: entry.id, field, listed: listed ?? null, found: measured });
  };
  compare("revision", entry.revision, found.revision);
  compare("licence", entry.licence, found.licence && (licences[found.licence] ?? found.licence));
  compare("contextLength", entry.contextLength, found.contextLength);
  for (const field of ["architecture", "chatTemplate"] as const) {
    const listed = (entry[field] ?? {}) as Readonly<Record<string, unknown>>;
    const measured: Readonly<Record<string, unknown>> = found[field] ?? {};
    for (const name of new Set([...Object.keys(listed), ...Object.keys(measured)])) {
      // A missing tool format is null on both sides.
      const value = measured[name] ?? null;
      if (listed[name] === value || (value === null && found[field] === null)) continue;
      drift.push({ id: entry.id, field: `${field}.${name}`, listed: listed[name] ?? null, found: value });
    }
  }
  const weights = entry.weights as readonly { readonly dtype: string; readonly bytes: number | null }[];
  for (const { dtype, bytes } of weights) {
    const there = found.weights.find((each) => each.dtype === dtype);
    if (there) compare(`weights.${dtype}.bytes`, bytes, there.bytes);
    else drift.push({ id: entry.id, field: `weights.${dtype}`, listed: bytes, found: "not there" });
  }
  return drift;
}

/** Measures the entries one after another, and compares them with the list. @throws CatalogError if the list is invalid */
export async function checkCatalog(catalog: unknown, hub: string): Promise<CheckReport> {
  const report = { hub, checked: [] as string[], drift: [] as CatalogDifference[] };
  const failures: { id: string; reason: string }[] = [];
  const newer: { id: string; commit: string }[] = [];
  for (const { entry, measured } of await measureCatalog(catalog, hub)) {
    report.checked.push(entry.id);
    if (typeof measured === "string") {
      failures.push({ id: entry.id, reason: measured });
      continue;
    }
    report.drift.push(...compareEntry(entry, measured));
    const isPinned = entry.revision === measured.revision;
    if (isPinned && measured.newest !== null && measured.newest !== measured.revision)
      newer.push({ id: entry.id, commit: measured.newest });
  }
  return { ...report, failures, newer };
}

/** Each entry that comes from the hub, with the measurement or the reason why measuring failed. */
async function measureCatalog(catalog: unknown, hub: string) {
  parseCatalog(catalog, "https://page.example/");
  const { models } = catalog as { models: readonly Entry[] };
  const all: { entry: Entry; measured: HubMeasurements | string }[] = [];
  for (const entry of models) {
    if (typeof entry.hub !== "string") continue;
    const measured = await readHubMeasurements(entry.hub, String(entry.revision), hub).catch(messageOf);
    all.push({ entry, measured });
  }
  return all;
}

/** The list with the measured values; entries that could not be measured stay as they are. */
export async function updateCatalog(catalog: unknown, hub: string, date: string): Promise<unknown> {
  const measuredEntries = new Map(
    (await measureCatalog(catalog, hub)).map(({ entry, measured }) => [entry.id, measured]),
  );
  const { models, ...rest } = catalog as { models: readonly Entry[] } & Readonly<Record<string, unknown>>;
  return {
    ...rest,
    models: models.map((entry) => {
      const found = measuredEntries.get(entry.id);
      if (found === undefined || typeof found === "string") return entry;
      const weights = (entry.weights as { dtype: string; bytes: number | null }[])
        .map(({ dtype }) => found.weights.find((each) => each.dtype === dtype))
        .filter((each) => each !== undefined);
      return {
        ...entry,
        revision: found.revision,
        ...(weights.length > 0 && { weights }),
        ...(found.licence !== null && { licence: licences[found.licence] ?? found.licence }),
        ...(found.contextLength !== null && { contextLength: found.contextLength }),
        ...(found.architecture !== null && { architecture: found.architecture }),
        ...(typeof found.chatTemplate?.format === "string" && { chatTemplate: found.chatTemplate }),
        measured: true,
        source: `The hub, ${date}`,
      };
    }),
  };
}

const usage = "npm run models -- check|update [--hub URL] [--file models.json] [--json]";

interface Given {
  readonly hub: string;
  readonly file: string;
  readonly isJson: boolean;
  readonly catalog: unknown;
}

async function readArguments(argv: readonly string[]): Promise<Given> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      hub: { type: "string", default: hubHost },
      file: { type: "string", default: "models.json" },
      json: { type: "boolean", default: false },
    },
  });
  const { hub, file, json } = values;
  if (!URL.canParse(hub)) throw new Error(`--hub is "${hub}", and must be an address.\n${usage}`);
  const catalog: unknown = JSON.parse(await readFile(file, "utf8"));
  return { hub: hub.replace(/\/+$/, ""), file, isJson: json, catalog };
}

/** @returns whether everything is as on the hub @throws Error for invalid arguments or an invalid file */
export async function checkModelsCommand(
  argv: readonly string[],
  log: (line: string) => void = console.log,
): Promise<boolean> {
  const { hub, file, isJson, catalog } = await readArguments(argv);
  const report = await checkCatalog(catalog, hub);
  const { drift, failures, newer, checked } = report;
  const isRight = drift.length === 0 && failures.length === 0;
  if (isJson) log(JSON.stringify(report, null, 2));
  else {
    for (const { id, field, listed, found } of drift)
      log(
        `${id}: ${field} is ${JSON.stringify(listed)} in ${file}, and ${JSON.stringify(found)} on the hub.`,
      );
    for (const { id, reason } of failures) log(`${id}: could not be measured. ${reason}`);
    for (const { id, commit } of newer) log(`${id}: main is newer (${commit}) than the revision in ${file}.`);
    log(
      isRight
        ? `${checked.length} models are as ${hub} says.`
        : `${drift.length} fields differ, ${failures.length} of ${checked.length} models could not be measured. npm run models -- update writes what ${hub} says.`,
    );
  }
  return isRight;
}

/** Writes the measured values into the file. @throws Error for invalid arguments or an invalid file */
export async function updateModelsCommand(
  argv: readonly string[],
  log: (line: string) => void = console.log,
): Promise<boolean> {
  const { hub, file, catalog } = await readArguments(argv);
  const updated = await updateCatalog(catalog, hub, new Date().toISOString().slice(0, 10));
  parseCatalog(updated, "https://page.example/");
  await writeFile(file, `${JSON.stringify(updated, null, 2)}\n`);
  log(`${file} has what ${hub} says. npm run fix formats it.`);
  return checkModelsCommand(argv, log);
}
