/** What servers do wrong with a model's file, for the test hub. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";

/** What goes wrong with the next answers for a file. */
export interface Fault {
  /** `drop`: the connection breaks after `bytes`; `short`: the body ends early although nothing broke; `stall`: nothing more comes after `bytes`. */
  readonly kind: "drop" | "short" | "stall" | "no-length" | "html" | "no-range" | "new-etag" | "status";
  readonly bytes?: number;
  readonly status?: number;
  /** Answers that go wrong; all, unless given. */
  times?: number;
}

/** The fault of the next answer for a file, which is then used up once. */
export function takeFault(path: string, faults: Map<string, Fault> | undefined): Fault | null {
  const fault = faults?.get(path) ?? null;
  if (fault?.times === undefined) return fault;
  if (fault.times <= 0) return null;
  fault.times--;
  return fault;
}

/** Lets `fault.bytes` bytes through, then breaks, ends or stalls. */
export async function* cutBody(
  source: AsyncIterable<Uint8Array>,
  fault: Fault | null,
  response: ServerResponse,
): AsyncGenerator<Uint8Array> {
  if (fault?.kind !== "drop" && fault?.kind !== "short" && fault?.kind !== "stall") return yield* source;
  let left = fault.bytes ?? 0;
  for await (const chunk of source) {
    const piece = chunk.subarray(0, left);
    left -= piece.length;
    if (piece.length > 0) yield piece;
    if (left === 0) break;
  }
  if (fault.kind === "short") return;
  // The socket has to have sent the piece before it breaks.
  if (fault.kind === "drop") setTimeout(() => response.destroy(), 20);
  await once(response, "close");
}
