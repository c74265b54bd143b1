/**
 * Opens the trace of a link, as `opening-model.ts` opens the trace of a file. A separate file, since the playground never
 * opens links.
 */
import type { ResumableWork } from "../../base/resumable-work.ts";
import { mixingDecoder } from "../codec/mixing-coder.ts";
import { readingTrace } from "../codec/reading-trace.ts";
import { linkUnpackLimit } from "../format/limits.ts";
import type { TraceModel } from "../model/trace-model.ts";
import { bytesOfFragment } from "./fragment.ts";
import { createGrowingModel, type TraceOpening, traceOpeningOf } from "./opening-model.ts";

/** Opens the part of an address after its `#`. */
export function startOpeningLink(fragment: string): TraceOpening<ResumableWork<TraceModel>> {
  const growing = createGrowingModel();
  function* steps(): ResumableWork<TraceModel> {
    const source = { bytes: bytesOfFragment(fragment, "t"), mixing: mixingDecoder };
    yield* readingTrace(source, { left: linkUnpackLimit(fragment.length) }, growing);
    return growing.whole();
  }
  return traceOpeningOf(growing, steps());
}
