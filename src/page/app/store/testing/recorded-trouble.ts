import { createStorageTroubleReporter, type StorageTroubleReporter } from "../storage-trouble.ts";

/** `said` gets each sentence that a user would see. */
export function createRecordingTroubleReporter(said: string[] = []): StorageTroubleReporter {
  return createStorageTroubleReporter({
    show: (text) => said.push(text),
    fail: (text) => said.push(text),
    dismiss() {},
  });
}
