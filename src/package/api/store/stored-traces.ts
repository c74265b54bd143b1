/** Traces in a store that several engines share. */
import { importProgramPart } from "../../../core/base/import-part.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import type { Trace } from "../../../core/trace/format/format.ts";
import type { EngineStore } from "./engine-store.ts";
import { readEntry } from "./stored-json.ts";

export class CrossEngineTraceStore {
  readonly #store: EngineStore;
  readonly #onNotice: (notice: string) => void;

  constructor(store: EngineStore, onNotice: (notice: string) => void) {
    this.#store = store;
    this.#onNotice = onNotice;
  }

  /** Never rejects: if the trace cannot be saved, the answer still succeeds. */
  async save(id: string, trace: Trace): Promise<void> {
    try {
      const { encodeTraceFile } = await codec();
      await this.#store.set("trace", id, encodeTraceFile(trace));
    } catch (error) {
      this.#onNotice(`The trace of ${id} was not saved. ${messageOf(error)}`);
    }
  }

  /** Null if the trace is not stored. @throws ApiError, 500 or 503 */
  async trace(id: string): Promise<Trace | null> {
    return (await this.#read(id))?.trace ?? null;
  }

  /** The bytes of a `.trace` file with the trace of this request. @throws ApiError, 500 or 503 */
  async traceFile(id: string): Promise<Uint8Array | null> {
    return (await this.#read(id))?.bytes ?? null;
  }

  #read(id: string): Promise<{ readonly trace: Trace; readonly bytes: Uint8Array } | null> {
    return readEntry(this.#store, ["trace", id], async (bytes) => {
      const { decodeTraceFile } = await codec();
      const { trace } = decodeTraceFile(bytes);
      const [first] = trace.records;
      if (first?.type !== "request" || first.requestId !== id)
        throw new Error("It belongs to another request.");
      return { trace, bytes };
    });
  }
}

const codec = () =>
  importProgramPart(
    "The trace reader",
    () => import("../../../core/trace/codec/codec.ts"),
    "encodeTraceFile",
  );
