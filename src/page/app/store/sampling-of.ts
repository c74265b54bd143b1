import { mapSamplingNames } from "../../../core/base/sampling.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";

/** The record's numbers, each moved into the range that a request takes: a record from outside may hold any number. */
export function clampSamplingOfRecord({ sampling }: RequestRecord) {
  return mapSamplingNames((name, { min, max, step }) => {
    const within = Math.min(Math.max(sampling[name], min), max);
    return step === 1 ? Math.round(within) : within;
  });
}
