/** Opens a mutated link or file as the page does, and measures the work. */
import type { WaitingWork } from "../../base/resumable-work.ts";
import { decodingTraceFile } from "../codec/codec.ts";
import { traceFileIn } from "../file/export-formats/export-format.ts";
import { fragmentKind } from "../file/fragment-kind.ts";
import { startOpeningLink } from "../file/opening-link.ts";
import { decodingSetup } from "../file/setup-link.ts";
import { linkUnpackLimit, traceLimits } from "../format/limits.ts";
import { TraceError } from "../format/trace-error.ts";
import { traceOf } from "../format/trace-of.ts";
import { eventList } from "../model/event-list.ts";
import { createTraceModel, type TraceModel } from "../model/trace-model.ts";
import { transcript } from "../model/transcript.ts";
import { parseTrace } from "../parse/parse.ts";
import type { Mutant } from "./mutants.ts";
import { tokenRows } from "./token-rows.ts";

export interface OpenedMutant {
  readonly isOpened: boolean;
  /** Number of steps that opening took: each step is a limited piece of work. */
  readonly steps: number;
  /** Number of records of the opened trace; 1 for a setup link, 0 for a refused mutant. */
  readonly records: number;
}

/** Opens a mutant. @throws any error that is no TraceError: such a mutant has found a bug. */
export function openMutant({ fragment, file }: Mutant): OpenedMutant {
  const counted = { steps: 0 };
  try {
    const model = fragment === undefined ? openFile(file, counted) : openFragment(fragment, counted);
    if (model) draw(model);
    return { isOpened: true, records: model?.records.length ?? 1, ...counted };
  } catch (cause) {
    if (!(cause instanceof TraceError)) throw cause;
    return { isOpened: false, records: 0, ...counted };
  }
}

/** The most steps that reading an input may take; its length limits how much it unpacks to. */
export function maximumReadingSteps({ fragment }: Mutant): number {
  const unpacked = fragment === undefined ? traceLimits.unpackedFile : linkUnpackLimit(fragment.length);
  return 100 + unpacked / 1_024;
}

function openFragment(fragment: string, counted: { steps: number }): TraceModel | null {
  if (fragmentKind(fragment) === "s") {
    count(decodingSetup(fragment), counted);
    return null;
  }
  return count(startOpeningLink(fragment).steps, counted);
}

function openFile(bytes: Uint8Array<ArrayBuffer>, counted: { steps: number }): TraceModel {
  const { trace, notes } = count(decodingTraceFile(traceFileIn(bytes)), counted);
  const model = createTraceModel(notes);
  model.append(trace.records);
  return model;
}

function count<Result>(steps: WaitingWork<Result>, counted: { steps: number }): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    counted.steps += 1;
  }
}

/** Every trace that opens must be valid and drawable. */
function draw(model: TraceModel): void {
  parseTrace(traceOf(model));
  if (tokenRows(model).length !== model.tokens.text.length) throw new Error("A token has no row.");
  if (eventList(model).length !== model.events.length) throw new Error("An event has no row.");
  transcript(model);
}
