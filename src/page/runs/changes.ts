/** Tells every tab, also this tab, which runs changed. */
import { isRecord } from "../../core/base/record.ts";

export type RunsChange =
  /** These runs were saved, changed, removed or restored. */
  | { readonly type: "runs"; readonly ids: readonly string[] }
  /** This experiment was made, changed, removed or restored, or one of its runs was made. */
  | { readonly type: "experiment"; readonly id: string }
  /** This tab found a row that cannot be read. Other tabs get no message. */
  | { readonly type: "damaged" }
  /** A newer Midtoken in another tab took over the database: this tab can no longer read or save runs. */
  | { readonly type: "outdated" }
  /** An older Midtoken in another tab holds the database: this tab waits until the other tab is closed or reloaded. */
  | { readonly type: "blocked" };

export interface RunsChangeChannel {
  /** Tells this tab alone. */
  tell(change: RunsChange): void;
  /** Tells this tab and all others. */
  tellAll(ids: readonly string[]): void;
  /** Like `tellAll`, for an experiment. */
  tellAllOf(experiment: string): void;
  /** Calls `listener` for each change until the returned function is called. */
  watch(listener: (change: RunsChange) => void): () => void;
  close(): void;
}

export function createRunsChangeChannel(name: string): RunsChangeChannel {
  const listeners = new Set<(change: RunsChange) => void>();
  const tell = (change: RunsChange) => {
    for (const listener of [...listeners]) listener(change);
  };
  let opened: BroadcastChannel | null = null;
  const channel = () => {
    if (opened) return opened;
    opened = new BroadcastChannel(name);
    opened.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (isIds(data)) tell({ type: "runs", ids: data });
      else if (isRecord(data) && typeof data.experiment === "string")
        tell({ type: "experiment", id: data.experiment });
    };
    return opened;
  };
  return {
    tell,
    tellAll(ids) {
      if (ids.length === 0) return;
      channel().postMessage(ids);
      tell({ type: "runs", ids });
    },
    tellAllOf(experiment) {
      channel().postMessage({ experiment });
      tell({ type: "experiment", id: experiment });
    },
    watch(listener) {
      channel();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => opened?.close(),
  };
}

/** A tab of another version may send anything. */
function isIds(data: unknown): data is readonly string[] {
  return Array.isArray(data) && data.every((id) => typeof id === "string");
}
