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
};

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
export function* migrating(
  value: unknown,
  { newest, steps, sampling }: Versions = published,
): Steps<unknown> {
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
  let migrated = records;
  for (let from = version; from < newest && Array.isArray(migrated); from += 1) {
    const all: readonly unknown[] = migrated;
    const step = steps[from];
    if (!step) throw new TraceError(`No step leads from trace version ${from} to ${from + 1}: report this.`);
    const taken: unknown[] = [];
    yield* forEachInSteps(all, (record, number) => {
      const fields = asFields(record);
      const next = asFields(all[number + 1]);
      taken.push(fields ? withSettings(step(fields, next), from + 1, sampling) : record);
    });
    migrated = taken;
  }
  return { ...value, version: newest, records: migrated };
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
