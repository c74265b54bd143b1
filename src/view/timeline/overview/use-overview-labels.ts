/**
 * Describes the part of the overview in view. The description is loaded after the drawing and computed once the view
 * stands still, because it takes longer than a frame for a long run.
 */
import { useEffect, useState } from "react";
import { importProgramPart } from "../../../core/base/import-part.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";

const stillMs = 300;

interface OverviewView {
  readonly trace: TraceModel;
  readonly version: number;
  readonly running: boolean;
  /** Tokens from `first` to before `end`. */
  readonly first: number;
  readonly end: number;
}

/** The description; undefined until it is computed, and while the run is in progress. */
export function useOverviewDescription({
  trace,
  version,
  running,
  first,
  end,
}: OverviewView): string | undefined {
  const [words, setWords] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  useEffect(() => {
    if (running) return setWords(undefined);
    let isGone = false;
    const load = () => import("./overview-labels.ts");
    const timer = setTimeout(() => {
      importProgramPart("The description of the overview", load, "describeOverview").then(
        ({ describeOverview }) => !isGone && setWords(describeOverview(trace, { first, end })),
        (cause: unknown) => !isGone && setWords(messageOf(cause)),
      );
    }, stillMs);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [trace, version, running, first, end]);
  return words;
}
