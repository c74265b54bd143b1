/** The run at the time the share dialog opens, so that a run in progress does not change the shared content meanwhile. */
import type { Trace } from "../../../core/trace/format/format.ts";
import type { TraceLayers } from "../../../core/trace/format/format-layers.ts";
import type { LeftOut } from "../../../core/trace/format/left-out.ts";
import { traceOf } from "../../../core/trace/format/trace-of.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";

export type ReadLayers = () => Promise<TraceLayers | null>;

export interface RunToShare {
  readonly model: TraceModel;
  readonly trace: Trace;
  /** The parts that the record itself lacks. */
  readonly notes: readonly LeftOut[];
  /** Whether the run has ended. */
  readonly done: boolean;
  /** Whether the run was made here, so that its maker may sign it. */
  readonly isOwn: boolean;
  /** Address of the page. */
  readonly page: string;
  /**
   * Reads the saved layers, which go into a file if the user wants that; null if there are none. Absent if no model
   * can be asked.
   */
  readonly readLayers?: ReadLayers | undefined;
}

export function runToShare(model: TraceModel, isOwn: boolean, page: string): RunToShare {
  return {
    model,
    trace: traceOf(model),
    notes: [...model.leftOut],
    done: model.finished !== null,
    isOwn,
    page,
  };
}

/** Name of a file that holds the run, without its ending. */
export function fileNameOf({ records: [first] }: Trace): string {
  const model = first?.type === "request" ? (first.model.id.split("/").at(-1) ?? "run") : "run";
  return `midtoken-${model}`.replaceAll(/[^\w.-]+/g, "-").slice(0, 80);
}
