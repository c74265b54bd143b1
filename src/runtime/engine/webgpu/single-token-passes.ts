/**
 * Passes whose one row of logits stays on the GPU, each of which may begin before the row before it was read. Between a read-back
 * and the next submission the GPU has nothing to do: so where the caller expects to ask for the most likely token, a kernel writes
 * that token into the input of the next pass, which is queued at once. If it is asked for, its row is there or under way; if
 * anything else is, the pass is dropped. It is not in the cache until it is kept, so dropping it undoes nothing: the next pass
 * writes where it wrote.
 *
 * Example: token 9 is read, and the most likely token after it is 4. While the 7 KB that say so come back, the GPU reads the 4. The
 * caller asks for the 4 and the pass after it begins, before the row after the 4 is read.
 */
import type { ExpectedNext } from "../../../core/decoder/ports/language-model.ts";
import type { ComputedLogits } from "../../../core/decoder/ports/logits.ts";
import type { GraphPass } from "../graph/graph-runner.ts";

/** Who runs the graph. */
export interface PassQueue {
  /** Queues a pass of `count` tokens after `past`, which gives one row. `ids`: the tokens, or where on the device a single one lies. */
  queue(ids: readonly number[] | GPUBuffer, past: number, count: number, logits: GPUBuffer): Promise<void>;
  /** The pass that was queued last counts: `length` tokens are in the cache. */
  keep(length: number): void;
  /** The cache has room for so many tokens. */
  hasRoom(length: number): boolean;
}

/** A row of logits whose kernels are queued. */
interface PendingLogits {
  /** `mostLikely`: the token that the device wrote into the next pass; null if it wrote none. */
  readonly given: Promise<{ readonly row: ComputedLogits; readonly mostLikely: number | null }>;
}

/** Makes rows of logits on the GPU. `GpuLogitsSource` implements this interface and describes the methods. */
interface Rows {
  readonly nextToken: GPUBuffer;
  takeBuffer(): GPUBuffer;
  beginRow(buffer: GPUBuffer, temperature: number, ids?: GPUBuffer): Promise<PendingLogits>;
}

/** A pass that was started before the caller asked for it. */
interface ExpectedPass extends PendingLogits {
  readonly past: number;
  readonly temperature: number;
  /** The token that the pass reads; null until it has been read back, and if there is none. */
  token: number | null;
}

export class SingleTokenPasses {
  readonly #rows: Rows;
  readonly #queue: PassQueue;
  #expected: ExpectedPass | null = null;

  constructor(rows: Rows, queue: PassQueue) {
    this.#rows = rows;
    this.#queue = queue;
  }

  /** A pass that gives one row. `next`: see LanguageModel. */
  async run(pass: GraphPass, temperature: number, next?: ExpectedNext): Promise<ComputedLogits> {
    const { tokens, start, end, past } = pass;
    const length = past + end - start;
    const begun =
      this.#take(pass, temperature) ??
      (await this.#begin(tokens.slice(start, end), past, temperature, next !== undefined));
    this.#queue.keep(length);
    if (next && this.#queue.hasRoom(length + 1)) {
      const expected = await this.#begin(this.#rows.nextToken, length, temperature, true);
      this.#expected = { ...expected, past: length, temperature, token: null };
    }
    const { row, mostLikely } = await begun.given;
    if (this.#expected) this.#expected.token = mostLikely;
    return row;
  }

  async #begin(
    ids: readonly number[] | GPUBuffer,
    past: number,
    temperature: number,
    writesNext: boolean,
  ): Promise<PendingLogits> {
    const logits = this.#rows.takeBuffer();
    await this.#queue.queue(ids, past, Array.isArray(ids) ? ids.length : 1, logits);
    return this.#rows.beginRow(logits, temperature, writesNext ? this.#rows.nextToken : undefined);
  }

  /** The pass that was expected, if this is it. */
  #take({ tokens, start, end, past }: GraphPass, temperature: number): PendingLogits | null {
    const expected = this.#expected;
    const isIt =
      expected?.past === past &&
      expected.temperature === temperature &&
      end - start === 1 &&
      expected.token === tokens[start];
    if (!isIt) this.drop();
    this.#expected = null;
    return isIt ? expected : null;
  }

  /** Drops the expected pass, because another pass is needed, or its text was cut. */
  drop(): void {
    const dropped = this.#expected;
    this.#expected = null;
    void dropped?.given.then(
      ({ row }) => row instanceof Float32Array || row.release(),
      () => undefined,
    );
  }

  /** Forgets all but the first `length` tokens. */
  cut(length: number): void {
    if (this.#expected && length < this.#expected.past) this.drop();
  }
}
