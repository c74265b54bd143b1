/**
 * A model's cache of a text, as the tensors that one pass returns and the next reads. To shorten the text, the beginnings of
 * tensors that grow with it are copied; of the other tensors (states), earlier versions are kept.
 */
import { Checkpoints } from "../decoder-cache/checkpoints.ts";
import { planCheckpointSlots } from "../decoder-cache/state-cache.ts";
import type { CacheSlot } from "./cache-layout.ts";
import { bytesOfTensor, type RuntimeTensor, type TensorRuntime } from "./tensor-runtime.ts";

type Tensors = ReadonlyMap<string, RuntimeTensor>;

export class LibraryDecoderCache {
  readonly #runtime: TensorRuntime;
  readonly #growing: readonly CacheSlot[];
  readonly #states: readonly CacheSlot[];
  readonly #checkpoints: Checkpoints<Tensors>;
  /** The tensors that grow with the text, by the name of the input. */
  #grown: Tensors;
  #length = 0;

  /** @param rows the most tokens that the cache will hold */
  constructor(runtime: TensorRuntime, slots: readonly CacheSlot[], rows: number) {
    this.#runtime = runtime;
    this.#growing = slots.filter(({ axis }) => axis !== null);
    this.#states = slots.filter(({ axis }) => axis === null);
    const { newest, spacing } = planCheckpointSlots(this.#bytesOf(this.#states, 0), rows);
    this.#checkpoints = new Checkpoints(this.#zeros(this.#states), newest, spacing);
    this.#grown = this.#zeros(this.#growing);
  }

  /** Number of tokens in the cache. */
  get length(): number {
    return this.#length;
  }

  /** Whether the cache has a state, so that after a cut some tokens may have to be read again. */
  get hasState(): boolean {
    return this.#states.length > 0;
  }

  /** The inputs of the next pass, by name. */
  get tensors(): Tensors {
    return new Map([...this.#grown, ...this.#checkpoints.nearest(this.#length).slot]);
  }

  /** Bytes that the cache uses now. */
  get bytes(): number {
    const states = this.#checkpoints.kept.flatMap(({ slot }) => [...slot.values()]);
    return [...this.#grown.values(), ...states].reduce((sum, tensor) => sum + bytesOfTensor(tensor), 0);
  }

  /** Bytes that the cache would use with `rows` tokens. */
  bytesAt(rows: number): number {
    const state = this.#bytesOf(this.#states, 0);
    return this.#bytesOf(this.#growing, rows) + state * planCheckpointSlots(state, rows).slots;
  }

  #bytesOf(slots: readonly CacheSlot[], rows: number): number {
    const shape = ({ empty, axis }: CacheSlot) => (axis === null ? empty : empty.with(axis, rows));
    return slots.reduce((sum, slot) => sum + bytesOfTensor({ type: slot.type, dims: shape(slot) }), 0);
  }

  #zeros(slots: readonly CacheSlot[]): Tensors {
    return new Map(slots.map(({ input, type, empty }) => [input, this.#runtime.zeros(type, empty)]));
  }

  /**
   * Forgets all but the first `length` tokens.
   * @returns how many of them are still in the cache: `length`, or fewer.
   * @throws RangeError if memory for the copy is short; nothing has changed
   */
  rewind(length: number): number {
    if (length === this.#length) return length;
    const left = this.#checkpointBefore(length);
    const cut = left > 0 ? this.#cutGrown(left) : null;
    const grown = cut ?? this.#zeros(this.#growing);
    disposeAll(this.#grown);
    this.#grown = grown;
    this.#length = cut === null ? 0 : left;
    for (const slot of this.#checkpoints.cut(this.#length)) disposeAll(slot);
    return this.#length;
  }

  #checkpointBefore(length: number): number {
    return this.hasState ? this.#checkpoints.nearest(length).length : length;
  }

  /** Copies the beginnings of the growing tensors; null if a tensor does not have the text's length, or is too large to copy. */
  #cutGrown(length: number): Tensors | null {
    const cut = new Map<string, RuntimeTensor>();
    try {
      for (const { input, axis } of this.#growing) {
        const tensor = this.#grown.get(input);
        const isWhole = axis !== null && tensor?.dims[axis] === this.#length;
        const piece = isWhole ? this.#runtime.cut(tensor, axis, length) : null;
        if (piece === null) {
          disposeAll(cut);
          return null;
        }
        cut.set(input, piece);
      }
    } catch (error) {
      disposeAll(cut);
      throw error;
    }
    return cut;
  }

  /** Stores the outputs of a pass; `length` is the new number of tokens. */
  take(outputs: Tensors, length: number): void {
    const outputsOf = (slots: readonly CacheSlot[]): Tensors =>
      new Map(
        slots.map(({ input, output }) => {
          const tensor = outputs.get(output);
          if (!tensor) throw new Error(`The runtime returned no "${output}".`);
          return [input, tensor];
        }),
      );
    const grown = outputsOf(this.#growing);
    const states = outputsOf(this.#states);
    disposeAll(this.#grown);
    this.#grown = grown;
    this.#length = length;
    if (this.hasState) for (const slot of this.#checkpoints.add(length, states)) disposeAll(slot);
  }

  /** Frees all tensors. */
  dispose(): void {
    disposeAll(this.#grown);
    for (const { slot } of this.#checkpoints.kept) disposeAll(slot);
  }
}

function disposeAll(tensors: Tensors): void {
  for (const tensor of tensors.values()) tensor.dispose();
}
