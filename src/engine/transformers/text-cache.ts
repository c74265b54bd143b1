/**
 * What a model remembers of a text, as the tensors that its passes hand on: those that grow with the text are cut by copying their
 * beginning, and of those that do not, earlier ones are kept.
 */
import type { CacheSlot } from "./cache-layout.ts";
import { StateCheckpoints } from "./state-checkpoints.ts";
import { bytesOfTensor, type RuntimeTensor, type TensorRuntime } from "./tensor-runtime.ts";

/** Memory for earlier states, and the fewest and most that are kept whatever their size. */
const checkpointBytes = 64 * 2 ** 20;
const fewestCheckpoints = 4;
const mostCheckpoints = 256;

type Tensors = ReadonlyMap<string, RuntimeTensor>;

export class TextCache {
  readonly #runtime: TensorRuntime;
  readonly #growing: readonly CacheSlot[];
  readonly #states: readonly CacheSlot[];
  readonly #checkpoints: StateCheckpoints<Tensors> | null;
  /** By input. The states in it belong to the last checkpoint. */
  #tensors = new Map<string, RuntimeTensor>();
  #length = 0;

  constructor(runtime: TensorRuntime, slots: readonly CacheSlot[]) {
    this.#runtime = runtime;
    this.#growing = slots.filter(({ axis }) => axis !== null);
    this.#states = slots.filter(({ axis }) => axis === null);
    const bytes = this.#states.reduce(
      (sum, { type, empty }) => sum + bytesOfTensor({ type, dims: empty }),
      0,
    );
    const most = Math.max(fewestCheckpoints, Math.min(mostCheckpoints, Math.floor(checkpointBytes / bytes)));
    this.#checkpoints = bytes > 0 ? new StateCheckpoints({ most, free: disposeAll }) : null;
    this.#begin();
  }

  /** Tokens in it. */
  get length(): number {
    return this.#length;
  }

  /** Bytes of the tensors that it holds of `length` tokens, without the earlier states. */
  bytesAt(length: number): number {
    return [...this.#growing, ...this.#states].reduce((sum, { type, empty, axis }) => {
      const dims = empty.map((size, i) => (i === axis ? length : size));
      return sum + bytesOfTensor({ type, dims });
    }, 0);
  }

  /** Whether it holds a state, so that a text that is cut may have to be read again in part. */
  get hasState(): boolean {
    return this.#checkpoints !== null;
  }

  get tensors(): Tensors {
    return this.#tensors;
  }

  /**
   * Forgets at least all but the first `length` tokens.
   * @returns how many are left: the others have to be read again.
   * @throws RangeError when there is no memory for the copy.
   */
  cutTo(length: number): number {
    if (length === this.#length) return length;
    const checkpoint = this.#checkpoints?.cutTo(length);
    const left = checkpoint === undefined ? length : (checkpoint?.length ?? 0);
    const cut = left === 0 ? null : this.#cutGrowing(left);
    if (cut === null) {
      this.#begin();
      return 0;
    }
    disposeAll(this.#growingTensors());
    for (const [name, tensor] of [...cut, ...(checkpoint?.state ?? [])]) this.#tensors.set(name, tensor);
    this.#length = left;
    return left;
  }

  /** Copies of the beginnings; null where they cannot be cut, because they are not as long as the text or for their size. */
  #cutGrowing(length: number): Tensors | null {
    const cut = new Map<string, RuntimeTensor>();
    for (const { input, axis } of this.#growing) {
      const tensor = this.#tensors.get(input);
      const isWhole = axis !== null && tensor?.dims[axis] === this.#length;
      const piece = isWhole ? this.#runtime.cut(tensor, axis, length) : null;
      if (piece === null) {
        disposeAll(cut);
        return null;
      }
      cut.set(input, piece);
    }
    return cut;
  }

  /** Takes over what a pass gave, `length` being what it holds now. */
  take(outputs: Tensors, length: number): void {
    const outputOf = ({ output }: CacheSlot): RuntimeTensor => {
      const tensor = outputs.get(output);
      if (!tensor) throw new Error(`The runtime gave no "${output}".`);
      return tensor;
    };
    const grown = this.#growing.map((slot) => [slot.input, outputOf(slot)] as const);
    const states = new Map(this.#states.map((slot) => [slot.input, outputOf(slot)] as const));
    disposeAll(this.#growingTensors());
    // Before the first token the states are no checkpoint's.
    if (this.#length === 0) this.#disposeStates();
    for (const [name, tensor] of [...grown, ...states]) this.#tensors.set(name, tensor);
    this.#checkpoints?.keep(length, states);
    this.#length = length;
  }

  #begin(): void {
    this.dispose();
    for (const { input, type, empty } of [...this.#growing, ...this.#states]) {
      this.#tensors.set(input, this.#runtime.zeros(type, empty));
    }
  }

  #growingTensors(): Tensors {
    return new Map(
      this.#growing.flatMap(({ input }) => {
        const tensor = this.#tensors.get(input);
        return tensor ? [[input, tensor] as const] : [];
      }),
    );
  }

  #disposeStates(): void {
    for (const { input } of this.#states) this.#tensors.get(input)?.dispose();
  }

  /** Frees all tensors. */
  dispose(): void {
    this.#checkpoints?.clear();
    disposeAll(this.#tensors);
    this.#tensors = new Map();
    this.#length = 0;
  }
}

function disposeAll(tensors: Tensors): void {
  for (const tensor of tensors.values()) tensor.dispose();
}
