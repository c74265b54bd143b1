/** A row of logits in a GPU buffer. */
import type {
  DeviceLogits,
  DrawnToken,
  LogitsChange,
  LogitsDraw,
  LogitsSummary,
} from "../../../core/decoder/ports/device-logits.ts";
import { bytesOfType, type FloatType } from "../base/float-type.ts";
import { float16ToFloat32 } from "../base/float16-arrays.ts";
import type { TokenDrawKernels } from "./draw-kernels.ts";
import type { LogitsKernels } from "./logits-kernels.ts";
import type { LogitsBufferPool } from "./logits-memory.ts";

/** Shared by all logits of one model. */
export interface LogitsResources {
  readonly vocabularySize: number;
  readonly memory: LogitsBufferPool;
  readonly kernels: LogitsKernels;
  readonly draws: TokenDrawKernels;
  /** The result of `work`. @throws the device's own error if the device failed meanwhile */
  guard<T>(work: Promise<T>): Promise<T>;
}

/** A row of logits in a buffer. When the row is released, the buffer goes back to the pool. */
export class GpuBufferLogits implements DeviceLogits {
  readonly summary: LogitsSummary;
  readonly nextLogit: number | null;
  readonly #on: LogitsResources;
  readonly #buffer: GPUBuffer;
  readonly #type: FloatType;
  #isGivenBack = false;

  constructor(
    on: LogitsResources,
    buffer: GPUBuffer,
    type: FloatType,
    { summary, nextLogit }: { readonly summary: LogitsSummary; readonly nextLogit: number | null },
  ) {
    this.#on = on;
    this.#buffer = buffer;
    this.#type = type;
    this.summary = summary;
    this.nextLogit = nextLogit;
  }

  gather(tokens: readonly number[]): Promise<Float32Array> {
    if (tokens.length === 0) return Promise.resolve(new Float32Array());
    return this.#on.guard(this.#on.kernels.gather(this.#at(), tokens));
  }

  read(): Promise<Float32Array> {
    const { memory, vocabularySize } = this.#on;
    return this.#on.guard(readLogits(memory, this.#at().buffer, this.#type, 0, vocabularySize));
  }

  drawToken(draw: LogitsDraw): Promise<DrawnToken | null> {
    return this.#on.guard(this.#on.draws.draw(this.#at(), draw));
  }

  countLeft(mask: Uint32Array): Promise<number> {
    return this.#on.guard(this.#on.kernels.countLeft(this.#at(), mask));
  }

  change(change: LogitsChange, temperature: number): Promise<DeviceLogits | Float32Array> {
    return this.#on.guard(this.#change(change, temperature));
  }

  async #change(change: LogitsChange, temperature: number): Promise<DeviceLogits | Float32Array> {
    const { memory, kernels, vocabularySize } = this.#on;
    const buffer = memory.takeRow("float32");
    const at = { buffer, type: "float32", first: 0 } as const;
    await kernels.change(this.#at(), buffer, change);
    const [result] = await kernels.summarize(at, { rows: 1, temperature });
    const summary = result?.summary;
    if (summary) return new GpuBufferLogits(this.#on, buffer, "float32", { summary, nextLogit: null });
    const logits = await readLogits(memory, buffer, "float32", 0, vocabularySize);
    memory.giveRow("float32", buffer);
    return logits;
  }

  release(): void {
    const { buffer } = this.#at();
    this.#isGivenBack = true;
    this.#on.memory.giveRow(this.#type, buffer);
  }

  #at() {
    if (this.#isGivenBack)
      throw new Error(
        "A row of logits was read after it was released. This is a bug in Midtoken: please report it.",
      );
    return { buffer: this.#buffer, type: this.#type, first: 0 };
  }
}

/** Reads `count` logits of a buffer, from index `first` on, as float32. */
export function readLogits(
  memory: LogitsBufferPool,
  buffer: GPUBuffer,
  type: FloatType,
  first: number,
  count: number,
): Promise<Float32Array> {
  const element = bytesOfType(type);
  const start = first * element;
  // Copies must start and end at multiples of 4 bytes, but float16 logits may start between two of them.
  const from = start - (start % 4);
  const bytes = Math.ceil((start + count * element - from) / 4) * 4;
  return memory.read(buffer, from, bytes, (copy) =>
    type === "float32"
      ? new Float32Array(copy, start - from, count)
      : float16ToFloat32(new Uint16Array(copy, start - from, count)),
  );
}
