/** Turns rows of logits into logits that mods edit, and holds the memory that is reused for the logits of each step of a request. */
import { messageOf } from "../../base/message-of.ts";
import type { DeviceLogits } from "../ports/device-logits.ts";
import { type EditableLogits, isListed, type LogitsFactory, type ModelLogits } from "../ports/logits.ts";
import type { ForwardError } from "../ports/request-error.ts";
import { CpuLogits, type LogitsWorkspace } from "./cpu-logits.ts";
import { GpuLogits } from "./gpu-logits.ts";
import { PartialLogits } from "./partial-logits.ts";
import { createSampler } from "./sampler.ts";

/** Makes the error of a request when the device or the server behind its logits fails. */
interface LogitsFailures {
  /** The device failed: the model must be loaded again. */
  fail(message: string, cause: unknown): ForwardError;
  /** A server failed, or the request was stopped while it waited for the server. */
  failureOf(error: unknown): unknown;
}

/** Makes the factory of a request. If a device or a server fails, its logits throw the error that `failures` makes. */
export function createLogitsFactory(vocabularySize: number, failures: LogitsFailures): LogitsFactory {
  return factoryOf(createSampler(vocabularySize), failures);
}

function factoryOf(sampler: LogitsWorkspace["sampler"], failures: LogitsFailures): LogitsFactory {
  const editedLogits: DeviceLogits[] = [];
  const workspace = { sampler, editBuffers: [], editedLogits };

  const editable = (row: ModelLogits): EditableLogits => {
    if (row instanceof Float32Array) return new CpuLogits(row, workspace);
    if (isListed(row)) return new PartialLogits(row, workspace, (error) => failures.failureOf(error));
    return new GpuLogits(row, workspace, (error) => failures.fail(messageOf(error), error));
  };

  return {
    of: editable,
    ofPass: ({ rows }) => editable(rows.at(-1) ?? new Float32Array()),
    known: (row, distribution) => new CpuLogits(row, workspace, distribution),
    separate: () => factoryOf(sampler, failures),
    releaseEdited() {
      for (const logits of editedLogits.splice(0)) logits.release();
    },
  };
}
