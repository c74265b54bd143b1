/** Old traces → the newest version, one step at a time. A published version opens for ever: fixtures of each are in `fixtures/`. */
import { TRACE_VERSION } from "./format.ts";
import { TraceError, TraceVersionError } from "./trace-error.ts";

/** Takes a trace of version N (untrusted, but an object) to version N + 1. It must not trust what it reads. */
type Step = (trace: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** `steps[N]` leads from version N to N + 1. To add version 2: raise TRACE_VERSION and put the step under 1. */
const steps: Readonly<Record<number, Step>> = {};

/**
 * A trace of any published version as the newest one; `parseTrace` checks the rest.
 * @throws TraceVersionError for a version from the future, TraceError for what is no trace.
 */
export function migrate(value: unknown, chain = steps, newest: number = TRACE_VERSION): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "version")) {
    throw new TraceError(
      "This is not a Midtoken trace: it has no version. Open a .trace or .trace.json file.",
    );
  }
  let trace = value as Record<string, unknown>;
  const version = trace.version;
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
    throw new TraceError("This is not a Midtoken trace: its version is not a whole number from 1.");
  }
  if (version > newest) throw new TraceVersionError(version, newest);
  for (let from = version; from < newest; from += 1) {
    const step = chain[from];
    if (!step) throw new TraceError(`No step leads from trace version ${from} to ${from + 1}: report this.`);
    trace = step(trace);
  }
  return trace;
}
