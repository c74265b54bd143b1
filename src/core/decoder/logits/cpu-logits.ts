/** A row of logits in this thread's memory, with the mods' edits of the row. */

import { InvalidActionError, type SparseLogitsEdit } from "../../sdk/action.ts";
import type { SamplingSettings, TokenId } from "../../sdk/request.ts";
import type { WireTop } from "../../sdk/wire-event.ts";
import type {
  Distribution,
  DrawInput,
  EditableLogits,
  TokenChoice,
  TokenHistory,
  TokenLogprobs,
} from "../ports/logits.ts";
import { findOverwrittenLogits, type OverwrittenLogits } from "./differences.ts";
import { distributionOf, distributionOfEdited } from "./distribution.ts";
import {
  changesFew,
  editInPlace,
  editLogits,
  hasPossibleTokenIn,
  logitsProblem,
  undoEdit,
} from "./logits-edits.ts";
import type { Sampler } from "./sampler.ts";
import { topKOf } from "./top-k.ts";
import { TopKSearch } from "./top-k-search.ts";

/** Memory that is reused for the logits of each step. */
export interface LogitsWorkspace {
  readonly sampler: Sampler;
  /** Arrays for edited logits; each is free or in use for the current step. */
  readonly editBuffers: Float32Array[];
}

export class CpuLogits implements EditableLogits {
  readonly distribution: Distribution;
  readonly #workspace: LogitsWorkspace;
  readonly #before: Float32Array;
  /** The same array as `before` until a mod edits the logits. */
  #after: Float32Array;
  #distributionAfter: Distribution;
  /** The differences between `before` and `after`; null if too many logits differ. */
  #differences: OverwrittenLogits | null = new Map();
  /** Finds the top tokens of `before` and of edited copies. */
  readonly #topKSearch: TopKSearch;
  /** A copy of `before`, made in advance for the first edit; null if there is none. */
  #copy: Float32Array | null = null;

  /** @param before is not changed. @param distribution the distribution of `before`, if it is known already */
  constructor(before: Float32Array, workspace: LogitsWorkspace, distribution = distributionOf(before)) {
    this.#before = before;
    this.#after = before;
    this.distribution = distribution;
    this.#distributionAfter = distribution;
    this.#topKSearch = new TopKSearch(before);
    this.#workspace = workspace;
  }

  get distributionAfter(): Distribution {
    return this.#distributionAfter;
  }

  get isEdited(): boolean {
    return this.#after !== this.#before;
  }

  get logits(): Float32Array {
    return this.#after;
  }

  topK(count: number): WireTop {
    const tokens = this.#topKSearch.of(this.#after, count, this.#differences);
    return topKOf(this.#after, count, this.#distributionAfter.logSumExp, tokens);
  }

  canSample(mask: Uint32Array): boolean {
    return hasPossibleTokenIn(this.#after, mask);
  }

  prepare(topK: number, settings: SamplingSettings): void {
    this.#copy = this.#reusedBuffer();
    this.#copy.set(this.#before);
    if (topK > 0) this.#topKSearch.prepare(topK);
    this.#workspace.sampler.prepare(this.#before, settings);
  }

  /** Edits the array in place if the edit changes few logits. */
  edit(logits: Float32Array | SparseLogitsEdit): void {
    const [before, after] = [this.#before, this.#after];
    const sparse = logits instanceof Float32Array || !changesFew(logits, before.length) ? null : logits;
    const edited = sparse ? this.#changeable() : editLogits(after, logits, this.#reusedBuffer());
    const changed = sparse ? editInPlace(edited, sparse) : findOverwrittenLogits(after, edited);
    const differences = sparse ? joined(this.#differences, changed) : findOverwrittenLogits(before, edited);
    const distribution = distributionOfEdited(edited, this.#distributionAfter, changed, (count) =>
      this.#topKSearch.of(edited, count, differences),
    );
    if (!Number.isFinite(distribution.logSumExp)) {
      const problem = logitsProblem(edited) ?? undefined;
      if (sparse && changed) undoEdit(edited, changed);
      throw new InvalidActionError("adjustLogits", "forwardPass", problem);
    }
    this.#after = edited;
    this.#distributionAfter = distribution;
    this.#differences = differences;
  }

  sample({ settings, history, draw, isBoth }: DrawInput): TokenChoice {
    const original = isBoth ? { row: this.#before, differences: this.#differences } : undefined;
    return this.#workspace.sampler.sample(this.#after, settings, history, draw, original);
  }

  sampleUnedited({ settings, history, draw }: DrawInput): TokenChoice {
    const original = { row: this.#before, differences: new Map() };
    return this.#workspace.sampler.sample(this.#before, settings, history, draw, original);
  }

  choiceOf(token: TokenId, settings: SamplingSettings, history: TokenHistory): TokenChoice {
    return this.#workspace.sampler.choiceOf(token, this.#after, settings, history);
  }

  logprobsOf(token: TokenId): TokenLogprobs {
    return {
      before: (this.#before[token] ?? 0) - this.distribution.logSumExp,
      after: (this.#after[token] ?? 0) - this.#distributionAfter.logSumExp,
    };
  }

  problem(): string | null {
    return logitsProblem(this.#before);
  }

  /** The edited logits, in an array that this object may change. */
  #changeable(): Float32Array {
    const copy = this.#copy;
    if (this.#after !== this.#before) return this.#after;
    this.#copy = null;
    if (copy) return copy;
    const room = this.#reusedBuffer();
    room.set(this.#before);
    return room;
  }

  /** An array for the next edit. Two arrays take turns: a new array for each token would be garbage after each token. */
  #reusedBuffer(): Float32Array {
    const { editBuffers } = this.#workspace;
    this.#copy = null;
    const free = editBuffers.find((room) => room !== this.#after);
    if (free !== undefined) return free;
    const room = new Float32Array(this.#before.length);
    editBuffers.push(room);
    return room;
  }
}

/** The differences after two edits. A token that both edits changed keeps its value from before the first edit. */
function joined(first: OverwrittenLogits | null, second: OverwrittenLogits | null): OverwrittenLogits | null {
  return first && second && new Map([...second, ...first]);
}
