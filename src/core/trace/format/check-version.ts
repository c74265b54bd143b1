/** Checks the version of a trace before anything else in it. */
import { TRACE_VERSION } from "./format.ts";
import { TraceError, TraceVersionError } from "./trace-error.ts";

/** Checks the version. @throws TraceVersionError for a trace from a newer Midtoken, TraceError for a value that is no trace. */
export function checkVersion(value: unknown): void {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "version")) {
    throw new TraceError(
      "This is not a Midtoken trace: it has no version. Open a .trace or .trace.json file.",
    );
  }
  const { version } = value as { readonly version: unknown };
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
    throw new TraceError("This is not a Midtoken trace: its version is not a positive whole number.");
  }
  if (version > TRACE_VERSION) throw newerVersion(version);
}

/** The error for a trace, a file or a link whose version is above `TRACE_VERSION`. */
export function newerVersion(version: number): TraceVersionError {
  return newerMidtoken(`its trace has version ${version}, but this copy reads version ${TRACE_VERSION}`);
}

/** @param found a clause that names the newer part. */
export function newerMidtoken(found: string): TraceVersionError {
  return new TraceVersionError(
    `This run was recorded by a newer version of Midtoken: ${found}. ` +
      "Reload the page to get the newest version, or open the run where it was recorded.",
  );
}
