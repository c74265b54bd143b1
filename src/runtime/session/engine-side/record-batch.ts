/** Gathers records of a request and sends several in one message, after a short wait at most. The first token does not wait. */
import type { TraceRecord } from "../../../core/trace/format/format.ts";

/**
 * Milliseconds that a record may wait while the loop waits too, for a mod that takes its time. While the loop computes, it
 * flushes the records by itself (`run-control.ts`).
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
