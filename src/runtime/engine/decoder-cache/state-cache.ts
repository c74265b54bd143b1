/**
 * States of convolutions and recurrences. Unlike keys and values, a state cannot be shortened: reading a token overwrites
 * it. So the output states of passes are kept, without a copy. Going back to a length means taking the last kept state
 * before it and computing the few tokens after that state again (see `Checkpoints`).
 */
import { bytesOfType } from "../base/float-type.ts";
import type { StateTensorInfo } from "../onnx/decoder-graph.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { DecoderCache, PassCacheTensors } from "./decoder-cache.ts";
import type { DeviceMemory } from "./device-memory.ts";
import type { SegmentStore } from "./segment-store.ts";
import { planStateCopies, StateSegments, type StoredState } from "./state-segments.ts";

/** One state of the whole model: the blocks of its tensors, in the order of the graph's states. */
interface Slot<Block, Tensor> {
  readonly blocks: readonly Block[];
  readonly tensors: readonly Tensor[];
}

/**
 * Most bytes of all states. A convolution's state is small (LFM2-1.2B: 0.2 MB), a recurrence's large (Qwen3.5-0.8B: 19 MB).
 */
const mostBytes = 256 * 2 ** 20;
/** The newest states are all kept, up to this number. */
const mostNewest = 64;
/** The smallest `spacing` of `Checkpoints`. It doubles until the states fit. */
const leastSpacing = 32;

/** How many states are stored for a context of `rows` tokens, depending on the bytes of a state. */
export function planCheckpointSlots(
  bytes: number,
  rows: number,
): { newest: number; spacing: number; slots: number } {
  const affordable = Math.floor(mostBytes / Math.max(1, bytes));
  const newest = Math.max(1, Math.min(mostNewest, Math.floor(affordable / 2)));
  const older = Math.max(0, affordable - newest - 2);
  let spacing = leastSpacing;
  while (spacing < rows && 2 * (Math.ceil(rows / spacing) - 1) > older) spacing *= 2;
  // One more slot, into which the next pass writes.
  return { newest, spacing, slots: Checkpoints.most(rows, newest, spacing) + 1 };
}

export class StateCache<Block, Tensor> implements DecoderCache<Tensor> {
  rows = 0;
  readonly segments: SegmentStore;
  readonly mostRows = Number.POSITIVE_INFINITY;
  readonly #memory: DeviceMemory<Block, Tensor>;
  readonly #entries: readonly StateTensorInfo[];
  readonly #slotBytes: number;
  #slots: readonly Slot<Block, Tensor>[] = [];
  #free: Slot<Block, Tensor>[] = [];
  #checkpoints: Checkpoints<Slot<Block, Tensor>> | null = null;
  #target: Slot<Block, Tensor> | null = null;

  constructor(memory: DeviceMemory<Block, Tensor>, entries: readonly StateTensorInfo[]) {
    this.#memory = memory;
    this.#entries = entries;
    const sizes = entries.map(bytesOf);
    this.#slotBytes = sizes.reduce((sum, size) => sum + size, 0);
    this.segments = new StateSegments(memory, sizes, {
      states: () =>
        (this.#checkpoints?.kept ?? []).map(({ length, slot }) => ({ length, blocks: slot.blocks })),
      replace: (states) => this.#replace(states),
    });
  }

  get bytes(): number {
    return this.#slots.length * this.#slotBytes;
  }

  bytesAt(rows: number): number {
    return planCheckpointSlots(this.#slotBytes, rows).slots * this.#slotBytes;
  }

  async grow(rows: number): Promise<void> {
    const { newest, spacing, slots } = planCheckpointSlots(this.#slotBytes, rows);
    const missing = Math.max(0, slots - this.#slots.length);
    const sizes = this.#entries.map(bytesOf);
    const blocks = await this.#memory.allocate(new Array<number[]>(missing).fill(sizes).flat(), rows);
    const made = Array.from({ length: missing }, (_, i) =>
      this.#slotOver(blocks.slice(i * sizes.length, (i + 1) * sizes.length)),
    );
    this.#slots = [...this.#slots, ...made];
    this.#free.push(...made);
    if (this.#checkpoints) this.#free.push(...this.#checkpoints.widen(spacing));
    // No pass writes into this slot: new blocks hold zeros, which are the state of no tokens.
    else this.#checkpoints = new Checkpoints(this.#take(), newest, spacing);
    this.rows = rows;
  }

  #slotOver(blocks: readonly Block[]): Slot<Block, Tensor> {
    const tensors = this.#entries.map(({ type, dims }, i) =>
      this.#memory.tensor(blocks[i] as Block, type, dims),
    );
    return { blocks, tensors };
  }

  #take(): Slot<Block, Tensor> {
    const slot = this.#free.pop();
    if (!slot) throw new Error("The cache has no room for another state of the model.");
    return slot;
  }

  rewind(length: number): number {
    if (!this.#checkpoints) return 0;
    this.#free.push(...this.#checkpoints.cut(length));
    return this.#checkpoints.nearest(length).length;
  }

  bind(past: number): PassCacheTensors<Tensor> {
    const source = this.#checkpoints?.nearest(past);
    if (source?.length !== past)
      throw new Error(`The model's state after ${past} tokens is not in the cache.`);
    this.#target ??= this.#take();
    return { past: source.slot.tensors, present: this.#target.tensors };
  }

  keep(length: number): void {
    if (!this.#target) return;
    this.#free.push(...(this.#checkpoints?.add(length, this.#target) ?? []));
    this.#target = null;
  }

  /** Replaces all states with copies of these. */
  #replace(states: readonly StoredState<Block>[]): void {
    this.rewind(0);
    for (const { length, blocks } of states) {
      const slot = this.#take();
      this.#memory.copy(planStateCopies(this.#entries.map(bytesOf), blocks, slot.blocks));
      this.#free.push(...(this.#checkpoints?.add(length, slot) ?? []));
    }
  }

  free(): void {
    for (const { tensors, blocks } of this.#slots) {
      this.#memory.release(tensors);
      this.#memory.free(blocks);
    }
    this.#slots = [];
    this.#free = [];
    this.#checkpoints = null;
    this.#target = null;
    this.rows = 0;
  }
}

function bytesOf({ type, dims }: StateTensorInfo): number {
  return dims.reduce((product, size) => product * size, bytesOfType(type));
}
