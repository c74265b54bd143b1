/** Old traces → the newest version, one step at a time. A published version opens for ever: fixtures of each are in `fixtures/`. */
import { type SamplingNumber, samplingNumbers } from "../base/sampling.ts";
import { forEachInSteps, runToEnd, type Steps } from "../base/steps.ts";
import { TRACE_VERSION } from "./format.ts";
import { TraceError, TraceVersionError } from "./trace-error.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Takes a record of version N to version N + 1. `next` is the record after it, or null at the end. Neither record has been
 * checked: `parseTrace` checks them afterwards. A record from a link already has the fields that later versions added,
 * because the codec fills them in. So a step adds only missing fields (defaults first, then `...record`) and changes fields
 * whose meaning changed.
 */
type Step = (record: Fields, next: Fields | null) => Fields;

/** `steps[N]` leads from version N to N + 1. */
const steps: Readonly<Record<number, Step>> = {
  1: (record, next) => {
    switch (record.type) {
      case "request":
        return { ...noAnswerFormat, deadlines: null, ...record };
      case "forwardPass":
        // A prompt is read in several forward passes, of which only the last leaves logits.
        return next?.type === "forwardPass" ? { ...record, before: null } : record;
      case "added":
        return { hidden: false, ...record };
      case "finished":
        return { lengthLimit: null, ...record, usage: { hiddenTokens: 0, ...asFields(record.usage) } };
      default:
        return record;
    }
  },
  2: (record) => (record.type === "request" ? { branch: null, ...record } : record),
  3: (record) => {
    switch (record.type) {
      case "forwardPass":
        return { likeliest: null, ...record };
      case "modCall":
        return { given: null, ...record, action: withDigest(asFields(record.action)) };
      default:
        return record;
    }
  },
  4: (record) => {
    const branch = record.type === "request" ? asFields(record.branch) : null;
    return branch ? { ...record, branch: { ...noneTold, ...branch } } : record;
  },
  // Mods could neither steer nor patch, and no model had its layers opened: nothing is missing.
  5: (record) => record,
};

/** A branch whose own mods took part from the start. */
export const noneTold = { told: 0, formerMods: 0, difference: null } as const;

const withDigest = (action: Fields | null): Fields | null =>
  action?.type === "adjustLogits" ? { digest: null, ...action } : action;

/** What a request has whose record says nothing of tools or of a response format. */
export const noAnswerFormat = {
  tools: [],
  toolChoice: "auto",
  parallelToolCalls: true,
  responseFormat: null,
} as const;

/** The newest version, and what leads to it from the older ones. Tests give versions of their own. */
export interface Versions {
  readonly newest: number;
  readonly steps: Readonly<Record<number, Step>>;
  readonly sampling: Readonly<Record<string, Pick<SamplingNumber, "neutral" | "since">>>;
}

const published: Versions = { newest: TRACE_VERSION, steps, sampling: samplingNumbers };

/**
 * A trace of any published version as the newest one; `parseTrace` checks the rest.
 * @throws TraceVersionError for a trace from a newer Midtoken, TraceError for what is no trace.
 */
export function migrate(value: unknown, versions: Versions = published): unknown {
  return runToEnd(migrating(value, versions));
}

/** The same in steps. */
export function* migrating(value: unknown, versions: Versions = published): Steps<unknown> {
  const { newest } = versions;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "version")) {
    throw new TraceError(
      "This is not a Midtoken trace: it has no version. Open a .trace or .trace.json file.",
    );
  }
  const { version, records } = value as { readonly version: unknown; readonly records?: unknown };
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
    throw new TraceError("This is not a Midtoken trace: its version is not a whole number from 1.");
  }
  if (version > newest) throw newerVersion(version, newest);
  if (version === newest || !Array.isArray(records)) return { ...value, version: newest };
  const migrated: unknown[] = [];
  const migration = createMigration(version, (record) => migrated.push(record), versions);
  yield* forEachInSteps<unknown>(records, migration.take);
  migration.end();
  return { ...value, version: newest, records: migrated };
}

/** Takes the records of one version to the newest, one after another. */
export interface Migration {
  take(record: unknown): void;
  /** After the last record: a record comes out once the one after it is known, or that there is none. */
  end(): void;
}

/** `out` gets each record as the newest version has it. */
export function createMigration(
  version: number,
  out: (record: unknown) => void,
  { newest, steps, sampling }: Versions = published,
): Migration {
  let migration: Migration = { take: out, end() {} };
  for (let from = newest - 1; from >= version; from -= 1) {
    const step = steps[from];
    if (!step) throw new TraceError(`No step leads from trace version ${from} to ${from + 1}: report this.`);
    migration = migrationByOne(
      (record, next) => withSettings(step(record, next), from + 1, sampling),
      migration,
    );
  }
  return migration;
}

function migrationByOne(step: Step, { take, end }: Migration): Migration {
  let held: { readonly record: unknown } | null = null;
  const release = (next: Fields | null) => {
    if (held === null) return;
    const fields = asFields(held.record);
    take(fields ? step(fields, next) : held.record);
  };
  return {
    take(record) {
      release(asFields(record));
      held = { record };
    },
    end() {
      release(null);
      held = null;
      end();
    },
  };
}

/** The error for a trace, a file or a link whose version is above `newest`. */
export function newerVersion(version: number, newest: number = TRACE_VERSION): TraceVersionError {
  return new TraceVersionError(
    `its trace has version ${version}, and this copy reads versions 1 to ${newest}`,
  );
}

/** Adds to a `request` record the sampling settings that are new in version `since`, at the values that change nothing. */
function withSettings(record: Fields, since: number, table: Versions["sampling"]): Fields {
  const sampling = record.type === "request" ? asFields(record.sampling) : null;
  if (!sampling) return record;
  const added = Object.entries(table).filter(([, about]) => about.since === since);
  const neutral = Object.fromEntries(added.map(([name, about]) => [name, about.neutral]));
  return { ...record, sampling: { ...neutral, ...sampling } };
}

function asFields(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}
