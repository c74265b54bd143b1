/** Implements `ModelLayers` over a runner. Remembers the vectors under which each token was computed, so that a token that must be computed again gets the same vectors. */
import type { CacheSegment } from "../../../core/decoder/ports/language-model.ts";
import {
  checkedVectors,
  checkLayer,
  checkRows,
  type ModelLayers,
  type SteeringVectors,
} from "../../../core/decoder/ports/model-layers.ts";
import { segmentPieces } from "../decoder-cache/segment-store.ts";
import type { GraphPass, RunnerLayers } from "./graph-runner.ts";
import { splitIntoPasses, type TokenSpan } from "./passes.ts";

/** Runs `work` between the model's passes, never during one. */
export type RunBetweenPasses = <T>(work: () => Promise<T> | T) => Promise<T>;

const unsteered: SteeringVectors = new Map();

export class LayeredContext implements ModelLayers {
  readonly #runner: RunnerLayers;
  readonly #inTurn: RunBetweenPasses;
  /** Whether a cut may make the runner compute tokens again. If not, the steering of past tokens, which may be large, is not kept. */
  readonly #computesAgain: boolean;
  #steering = unsteered;
  /** The steering vectors of the current pass. */
  #used = unsteered;
  /** The steering vectors of each token of the context, if they may be needed again. */
  #past: SteeringVectors[] = [];
  readonly #saved = new WeakMap<CacheSegment, readonly SteeringVectors[]>();

  constructor(runner: RunnerLayers, inTurn: RunBetweenPasses, computesAgain: boolean) {
    this.#runner = runner;
    this.#inTurn = inTurn;
    this.#computesAgain = computesAgain;
  }

  get count(): number {
    return this.#runner.count;
  }

  get hiddenSize(): number {
    return this.#runner.hiddenSize;
  }

  steer(vectors: SteeringVectors): void {
    this.#steering = checkedVectors(vectors, this);
  }

  keep(layers: readonly number[]): void {
    for (const layer of layers) checkLayer(layer, this.count);
    this.#runner.keep([...new Set(layers)]);
  }

  async hidden(layer: number): Promise<Float32Array> {
    checkLayer(layer, this.count);
    return this.#inTurn(() => this.#runner.hidden(layer));
  }

  async lens(rows: Float32Array): Promise<Float32Array> {
    checkRows(rows, this.hiddenSize);
    return this.#inTurn(() => this.#runner.lens(rows));
  }

  /**
   * Begins a call: drops the hidden states of the last one, and splits its tokens as `splitIntoPasses` does, but so that each pass
   * has one set of steering vectors. Tokens that are computed again get their earlier vectors, new ones the current vectors.
   */
  passes({ tokens, past, rows }: TokenSpan, passTokens: number): GraphPass[] {
    this.#runner.forget();
    this.#used = this.#steering;
    const passes: GraphPass[] = [];
    for (let start = 0; start < tokens.length; ) {
      const steering = this.#past[past + start] ?? this.#used;
      let end = start + 1;
      while (end < tokens.length && (this.#past[past + end] ?? this.#used) === steering) end++;
      const span = {
        tokens: tokens.slice(start, end),
        past: past + start,
        rows: end < tokens.length ? 0 : rows,
      };
      for (const pass of splitIntoPasses(span, passTokens)) passes.push({ ...pass, steering });
      start = end;
    }
    return passes;
  }

  /** Records that the last passes added `count` tokens to the context. */
  added(count: number): void {
    if (!this.#computesAgain) return;
    for (let i = 0; i < count; i++) this.#past.push(this.#used);
  }

  truncate(length: number): void {
    if (length < this.#past.length) this.#past.length = length;
  }

  saved<Segment extends CacheSegment | null>(segment: Segment): Segment {
    if (segment && this.#computesAgain) this.#saved.set(segment, this.#past.slice(segment.from, segment.to));
    return segment;
  }

  /** Records that the context now consists of these segments, cut to `length` tokens. */
  restored(segments: readonly CacheSegment[], length: number): void {
    if (!this.#computesAgain) return;
    const past: SteeringVectors[] = [];
    for (const { segment, end } of segmentPieces(segments, length)) {
      const steerings = this.#saved.get(segment);
      for (let at = segment.from; at < end; at++) past.push(steerings?.[at - segment.from] ?? unsteered);
    }
    this.#past = past;
  }
}
