/** Opens the trace of a link as `opening-model.ts` does that of a file. Apart, since the playground opens no link. */
import type { Steps } from "../base/steps.ts";
import { mixingDecoder } from "./codec/mixing-coder.ts";
import { bytesOfFragment } from "./fragment.ts";
import { unpackedByLink } from "./limits.ts";
import { createGrowing, type Opening, withSteps } from "./opening-model.ts";
import { readingTrace } from "./reading-trace.ts";
import type { TraceModel } from "./trace-model.ts";

/** Opens the part of an address after its `#`. */
export function openingLink(fragment: string): Opening<Steps<TraceModel>> {
  const growing = createGrowing();
  function* steps(): Steps<TraceModel> {
    const source = { bytes: bytesOfFragment(fragment, "t"), mixing: mixingDecoder };
    yield* readingTrace(source, { left: unpackedByLink(fragment.length) }, growing);
    return growing.whole();
  }
  return withSteps(growing, steps());
}
