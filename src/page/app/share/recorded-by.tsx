/** The name of a run's maker, where the record has one: a claim of the record, and said as one. */
import { makerOf } from "../../../core/trace/file/maker.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";

interface RecordedByProps {
  readonly trace: Pick<TraceModel, "request">;
  /** Said where the record has no name. */
  readonly otherwise?: string;
}

export function RecordedBy({ trace, otherwise = "" }: RecordedByProps) {
  const maker = makerOf(trace.request);
  if (maker === null) return otherwise;
  return (
    <>
      {" "}
      by <bdi title="Nobody has checked this name">“{maker}”</bdi>
    </>
  );
}
