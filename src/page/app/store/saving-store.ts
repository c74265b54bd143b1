/** Whether the browser saves the runs and the versions of mods, and why it did not. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { ProgramPartError } from "../../../core/base/import-part.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import { RunsOutdatedError } from "../../runs/connection.ts";
import { isQuotaExceeded } from "../../runs/storage-room.ts";
import { blockedStorageNotice } from "./browser-storage.ts";
import type { StorageTroubleReporter } from "./storage-trouble.ts";

export interface SavingState {
  /** A sentence for the user that says why runs could not be saved; null if all are saved. */
  readonly failure: string | null;
  /** True when another tab has a newer Midtoken, so that this tab can save no run. */
  readonly isOutdated: boolean;
  /** Whether saving a run can be tried again. False while the run is in progress, because it is saved whole at its end. */
  readonly canRetry: boolean;
  /** Tries again to save the runs. */
  retry(): void;
}

export function createSavingStore(): StoreApi<SavingState> {
  return createStore<SavingState>()(() => ({
    failure: null,
    isOutdated: false,
    canRetry: false,
    retry() {},
  }));
}

interface Saving {
  readonly saving: StoreApi<SavingState>;
  readonly trouble: StorageTroubleReporter;
}

/**
 * Shows one sentence about everything that the browser's database did not save. If the storage of settings and mods refuses writes
 * too, this sentence replaces the notice about them.
 */
export function sayNotSaved(
  { saving, trouble }: Saving,
  cause: unknown,
  more: Partial<SavingState> = {},
): void {
  // The notice about forbidden storage already says that nothing is saved.
  if (saving.getState().failure === blockedStorageNotice) return;
  saving.setState({
    ...more,
    failure: cause instanceof ProgramPartError ? notFetched(cause) : describeFailure(cause, trouble),
    isOutdated: cause instanceof RunsOutdatedError,
  });
}

const notFetched = ({ message }: ProgramPartError): string =>
  `${message} Check that you are online and press Try again.`;

function describeFailure(cause: unknown, trouble: StorageTroubleReporter): string {
  const what = trouble.dismissFailures() ? "your latest changes" : "versions of your mods";
  if (cause instanceof RunsOutdatedError) return cause.message;
  const why = isQuotaExceeded(cause)
    ? "storage is full. Delete runs or models that you do not need, or save"
    : `database failed: ${messageOf(cause).replace(/[^.!?]$/, "$&.")} Save`;
  return `Runs and ${what} will be lost when you close this tab, because the browser’s ${why} runs as files.`;
}
