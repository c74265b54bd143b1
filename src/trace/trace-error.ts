/** What is thrown for a trace, a trace file or a link that cannot be opened, or a trace too large to be shared. */

/** Says what is wrong with which value, and what to do. */
export class TraceError extends Error {
  override name = "TraceError";
}

/** A trace of a version that this copy of Midtoken does not know. */
export class TraceVersionError extends TraceError {
  override name = "TraceVersionError";
  constructor(
    readonly version: number,
    readonly newest: number,
  ) {
    super(
      `This run was recorded by a newer Midtoken: its trace has version ${version}, and this copy reads versions 1 to ${newest}. ` +
        "Reload the page to get the newest Midtoken, or open the run where it was recorded.",
    );
  }
}
