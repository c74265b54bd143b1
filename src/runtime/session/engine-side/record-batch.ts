/** Collects records of a request and sends them together after a short wait. The first token is sent at once. */
import type { TraceRecord } from "../../../core/trace/format/format.ts";

/**
 * Milliseconds that a record may wait while the loop waits for a slow mod. While the loop computes, it sends the records
 * itself (`run-control.ts`).
 */
const longestWait = 30;

export class RecordBatch {
  readonly #send: (records: readonly TraceRecord[]) => void;
  #records: TraceRecord[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #hasToken = false;

  constructor(send: (records: readonly TraceRecord[]) => void) {
    this.#send = send;
  }

  add(record: TraceRecord): void {
    this.#records.push(record);
    const isFirstToken = record.type === "added" && !this.#hasToken;
    if (isFirstToken) {
      this.#hasToken = true;
      this.flush();
    } else this.#timer ??= setTimeout(() => this.flush(), longestWait);
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#records.length === 0) return;
    const records = this.#records;
    this.#records = [];
    this.#send(records);
  }
}
