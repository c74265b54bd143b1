/** Makes a trace to save or share. A separate file, since code that only draws a trace needs nothing else of the format. */
import { TRACE_VERSION, type Trace } from "./format.ts";

/** A trace of the current records, with the recorded layers if it has any. */
export function traceOf({ records, layers }: Pick<Trace, "records" | "layers">): Trace {
  return { version: TRACE_VERSION, records: [...records], ...(layers && { layers }) };
}
