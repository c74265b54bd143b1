/** A trace to be kept or shared. Apart from what draws one, which needs nothing else of the format. */
import { TRACE_VERSION, type Trace } from "./format.ts";

/** Of records as they are now, and of what layers said where that is to go along. */
export function traceOf({ records, layers }: Pick<Trace, "records" | "layers">): Trace {
  return { version: TRACE_VERSION, records: [...records], ...(layers && { layers }) };
}
