/** Cuts a growing trace into pieces, to be kept as they come. Each piece has the records since the piece before. */

import { TRACE_VERSION } from "../../../core/trace/format/format.ts";
import type { RunPiece } from "../../runs/schema.ts";
import type { LiveRun } from "./live-run.ts";

const pieceEveryMs = 500;

export interface RunPieces {
  /** Says that records have come: they are written soon. */
  grown(): void;
  /** Writes what has come at once, as when the page is left or the run has ended. */
  flush(): void;
}

/** Writes a piece, and fails where the browser does not keep it. */
export type WritePiece = (number: number, piece: RunPiece) => Promise<void>;

export function createRunPieces({ trace, modIds, from }: LiveRun, write: WritePiece): RunPieces {
  let written = 0;
  let pieces = 0;
  /** After a piece that was not kept, later ones would leave a gap: what comes next begins anew. */
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
      // A whole run twice a second would be too much: one with a gap is written when it ends, or its page is left.
      if (!hasGap) timer ??= setTimeout(flush, pieceEveryMs);
    },
  };
}
