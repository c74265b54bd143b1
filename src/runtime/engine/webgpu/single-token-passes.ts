/**
 * Passes with one row of logits, which stays on the GPU. A pass may begin before the previous row was read back: between a
 * read-back and the next submission, the GPU would have nothing to do. If the caller expects to ask for the most likely
 * token, a kernel writes this token into the input of the next pass, which is queued at once. If the caller then asks for
 * this token, its row is finished or being computed. If the caller asks for another pass, the early pass is dropped.
 * Dropping is free: the cache counts a pass only after `keep`, so the next pass overwrites its rows.
 *
 * Example: token 9 is read, and the most likely token after it is 4. While the 7 KB with this result are read back, the GPU
 * already computes the pass of token 4. The caller asks for token 4, and the pass after it begins before the row after token
 * 4 is read back.
 */
import type { ExpectedNext } from "../../../core/decoder/ports/language-model.ts";
import type { ComputedLogits } from "../../../core/decoder/ports/logits.ts";
import type { GraphPass } from "../graph/graph-runner.ts";

/** The code that runs the graph. */
export interface PassSubmitter {
  /** Queues a pass of `count` tokens after `past`, with one row of logits. `ids`: the tokens, or the buffer that holds a single token's id. */
  queue(ids: readonly number[] | GPUBuffer, past: number, count: number, logits: GPUBuffer): Promise<void>;
  /** Accepts the pass that was queued last: the cache now has `length` tokens. */
  keep(length: number): void;
  /** Whether the cache has room for `length` tokens. */
  hasRoom(length: number): boolean;
}

/** A row of logits whose kernels are queued. */
interface PendingLogits {
  /** `mostLikely`: the token that the device wrote into the input of the next pass; null if no logit is finite. */
  readonly result: Promise<{ readonly row: ComputedLogits; readonly mostLikely: number | null }>;
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
  /** The token that the pass reads; null until it has been read back, or if there is none. */
  token: number | null;
}

export class LastTokenLogitsPasses {
  readonly #rows: Rows;
  readonly #queue: PassSubmitter;
  #expected: ExpectedPass | null = null;

  constructor(rows: Rows, queue: PassSubmitter) {
    this.#rows = rows;
    this.#queue = queue;
  }

  /** Runs a pass with one row of logits. `next`: see LanguageModel. */
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
    const { row, mostLikely } = await begun.result;
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

  /** Takes the early pass if it is the requested one. */
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

  /** Drops the early pass, because another pass is needed, or its text was cut. */
  drop(): void {
    const dropped = this.#expected;
    this.#expected = null;
    void dropped?.result.then(
      ({ row }) => row instanceof Float32Array || row.release(),
      () => undefined,
    );
  }

  /** Forgets all but the first `length` tokens. */
  cut(length: number): void {
    if (this.#expected && length < this.#expected.past) this.drop();
  }
}
