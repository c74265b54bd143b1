/** Cuts a growing trace into pieces that are saved one by one. Each piece has the records since the previous piece. */

import { TRACE_VERSION } from "../../../core/trace/format/format.ts";
import type { RunPiece } from "../../runs/schema.ts";
import type { RunInProgress } from "./run-in-progress.ts";

const pieceEveryMs = 500;

export interface RunPieceWriter {
  /** Tells that new records have come; they are written soon. */
  grown(): void;
  /** Writes all waiting records at once, for example when the user leaves the page or the run has ended. */
  flush(): void;
}

/** Writes a piece; fails if the browser does not save it. */
export type WritePiece = (number: number, piece: RunPiece) => Promise<void>;

export function createRunPieceWriter(
  { trace, modIds, from }: RunInProgress,
  write: WritePiece,
): RunPieceWriter {
  let written = 0;
  let pieces = 0;
  /** Whether a piece was not saved: later pieces would leave a gap, so the next write begins with the first record. */
  let hasGap = false;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const records = trace.records.slice(written);
    if (records.length === 0) return;
    written += records.length;
    write(pieces, { version: TRACE_VERSION, records, modIds, from }).catch(() => {
      hasGap = true;
      written = 0;
      pieces = 0;
    });
    pieces += 1;
  };
  return {
    flush,
    grown() {
      // Writing the whole run twice a second costs too much: a run with a gap is written when it ends or the user leaves the page.
      if (!hasGap) timer ??= setTimeout(flush, pieceEveryMs);
    },
  };
}
