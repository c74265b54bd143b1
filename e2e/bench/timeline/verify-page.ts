/** Functions that the bench of verifying calls in the page: a session that loads no model. */

import { decodeTraceFile } from "../../../src/core/trace/codec/codec.ts";
import type { TraceRecord } from "../../../src/core/trace/format/format.ts";
import { createSession } from "../../../src/runtime/session/page-side/client.ts";
import type { Verification } from "../../../src/runtime/session/shared/protocol.ts";
import type { VerifyRequest } from "../../../src/runtime/session/shared/requests.ts";

const session = createSession();
let records: readonly TraceRecord[] = [];
let count = 0;

const api = {
  open(bytes: readonly number[]): number {
    records = decodeTraceFile(new Uint8Array(bytes)).trace.records;
    return records.length;
  },

  async verify(): Promise<{ readonly ms: number; readonly found: Verification }> {
    const [request] = records;
    if (request?.type !== "request") throw new Error("No record is open.");
    const asked: VerifyRequest = {
      requestId: `verify-${++count}`,
      records,
      mods: request.mods,
      model: {
        id: request.model.id,
        url: new URL("/models/stories260k/", location.href).href,
        revision: null,
        dtype: { webgpu: "fp32", wasm: "fp32" },
      },
    };
    const start = performance.now();
    const found = await session.verify(asked);
    return { ms: performance.now() - start, found };
  },
};

export type VerifyBench = typeof api;

declare global {
  var verifyBench: VerifyBench;
}

globalThis.verifyBench = api;
