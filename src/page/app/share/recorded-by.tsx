/** The name of a run's maker, if the record has a name. The sentence marks the name as a claim of the record. */
import { shownAuthorName } from "../../../core/trace/file/maker.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";

interface RecordedByProps {
  readonly trace: Pick<TraceModel, "request">;
  /** Shown if the record has no name. */
  readonly otherwise?: string;
}

export function RecordedBy({ trace, otherwise = "" }: RecordedByProps) {
  const maker = shownAuthorName(trace.request);
  if (maker === null) return otherwise;
  return (
    <>
      {" "}
      by <bdi title="Nobody has checked this name">“{maker}”</bdi>
    </>
  );
}
