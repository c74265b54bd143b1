import { createStorageTrouble, type StorageTrouble } from "../storage-trouble.ts";

/** `said` gets each sentence that a user would see. */
export function createRecordingTrouble(said: string[] = []): StorageTrouble {
  return createStorageTrouble({
    show: (text) => said.push(text),
    fail: (text) => said.push(text),
    dismiss() {},
  });
}
