/** Logits on the GPU, with the mods' edits. Only the numbers that a mod or the sampler asks for are read back. */

import { hasBiasOrPenalty } from "../../base/sampling.ts";
import { hasToken } from "../../masks/vocabulary/token-bits.ts";
import { InvalidActionError, type SparseLogitsEdit } from "../../sdk/action.ts";
import type { SamplingSettings, TokenId } from "../../sdk/request.ts";
import type { WireTop } from "../../sdk/wire-event.ts";
import type { DeviceLogits, LogitsChange } from "../ports/device-logits.ts";
import type {
  Distribution,
  DrawInput,
  EditableLogits,
  TokenChoice,
  TokenHistory,
  TokenLogprobs,
} from "../ports/logits.ts";
import type { ForwardError } from "../ports/request-error.ts";
import { CpuLogits, type LogitsWorkspace } from "./cpu-logits.ts";
import { drawFromDeviceLogits } from "./gpu-draw.ts";
import { logitsProblem, maskOfListedTokens } from "./logits-edits.ts";
import { distributionOfSummary, listedLogit } from "./logits-summary.ts";
import { applyBiasAndPenalties } from "./sampler.ts";

/** The memory of `CpuLogits`, and memory on the GPU. */
interface GpuWorkspace extends LogitsWorkspace {
  /** Edited logits on the GPU. The owner of the workspace releases them when the next step begins. */
  readonly editedLogits: DeviceLogits[];
}

export class GpuLogits implements EditableLogits {
  readonly distribution: Distribution;
  readonly logits = null;
  readonly #before: DeviceLogits;
  readonly #workspace: GpuWorkspace;
  readonly #fail: (error: unknown) => ForwardError;
  /** The same object as `before` until a mod edits the logits. */
  #after: DeviceLogits;
  #distributionAfter: Distribution;
  /** The logits on the CPU, after they had to be read back; later edits change this copy. */
  #brought: { readonly before: Float32Array; readonly host: CpuLogits } | null = null;

  /** `fail` makes the error that is thrown if the GPU fails. */
  constructor(before: DeviceLogits, workspace: GpuWorkspace, fail: (error: unknown) => ForwardError) {
    this.#before = before;
    this.#after = before;
    this.#workspace = workspace;
    this.#fail = fail;
    this.distribution = distributionOfSummary(before.summary);
    this.#distributionAfter = this.distribution;
  }

  get distributionAfter(): Distribution {
    return this.#distributionAfter;
  }

  get isEdited(): boolean {
    return this.#brought?.host.isEdited ?? this.#after !== this.#before;
  }

  topK(count: number): WireTop {
    if (this.#brought) return this.#brought.host.topK(count);
    const { summary } = this.#after;
    const { logSumExp } = this.#distributionAfter;
    return {
      tokens: summary.tokens.slice(0, count),
      logprobs: Float32Array.from(summary.logits.subarray(0, count), (logit) => logit - logSumExp),
    };
  }

  canSample(mask: Uint32Array): boolean | Promise<boolean> {
    if (this.#brought) return this.#brought.host.canSample(mask);
    const row = this.#after;
    const { tokens, isComplete } = row.summary;
    if (tokens.some((token) => hasToken(mask, token))) return true;
    if (isComplete) return false;
    return this.#asked(async () => (await row.countLeft(mask)) > 0);
  }

  prepare(): void {}

  edit(edit: Float32Array | SparseLogitsEdit, settings: SamplingSettings): Promise<void> {
    return this.#asked(async () => {
      if (this.#brought || edit instanceof Float32Array) return this.#editHere(edit);
      const change = await this.#changeOf(edit);
      const edited = await this.#after.change(change, settings.temperature);
      if (edited instanceof Float32Array) return this.#editHere(edited);
      const distribution = distributionOfSummary(edited.summary);
      if (!Number.isFinite(distribution.logSumExp)) {
        const problem = logitsProblem(await edited.read()) ?? undefined;
        edited.release();
        throw new InvalidActionError("adjustLogits", "forwardPass", problem);
      }
      this.#workspace.editedLogits.push(edited);
      this.#after = edited;
      this.#distributionAfter = distribution;
    });
  }

  async #editHere(edit: Float32Array | SparseLogitsEdit): Promise<void> {
    const host = await this.#bring();
    host.edit(edit);
    this.#distributionAfter = host.distributionAfter;
  }

  /** The change of the logits that `editLogits` would make. */
  async #changeOf({ mask, only, ban = [], add = {} }: SparseLogitsEdit): Promise<LogitsChange> {
    const { vocabularySize } = this.#after.summary;
    const kept = only ? maskOfListedTokens(only, vocabularySize, mask ?? null) : (mask ?? null);
    const set = new Map<TokenId, number>();
    for (const token of ban) set.set(token, Number.NEGATIVE_INFINITY);
    const raised = Object.keys(add).map(Number);
    const logits = await this.#logitsOf(this.#after, raised);
    for (const [place, token] of raised.entries()) {
      const isKept = !kept || hasToken(kept, token);
      const logit = set.get(token) ?? (isKept ? (logits[place] as number) : Number.NEGATIVE_INFINITY);
      set.set(token, Math.fround(logit + (add[token] as number)));
    }
    return { mask: kept, tokens: [...set.keys()], logits: [...set.values()] };
  }

  sample(draw: DrawInput): Promise<TokenChoice> {
    return this.#asked(async () => {
      const choice = this.#brought ? null : await this.#draw(this.#after, draw);
      return choice ?? (await this.#bring()).sample(draw);
    });
  }

  sampleUnedited(draw: DrawInput): Promise<TokenChoice> {
    return this.#asked(async () => {
      const choice = this.#brought ? null : await this.#draw(this.#before, draw);
      return choice ?? (await this.#bring()).sampleUnedited(draw);
    });
  }

  choiceOf(token: TokenId, settings: SamplingSettings, history: TokenHistory): Promise<TokenChoice> {
    return this.#asked(async () => (await this.#bring()).choiceOf(token, settings, history));
  }

  async #draw(row: DeviceLogits, { settings, history, draw }: DrawInput): Promise<TokenChoice | null> {
    if (!hasBiasOrPenalty(settings)) return drawFromDeviceLogits(row, settings, draw);
    const processed = await this.#processed(row, settings, history);
    if (processed instanceof Float32Array) return null;
    try {
      return await drawFromDeviceLogits(processed, settings, draw);
    } finally {
      processed.release();
    }
  }

  /** The logits with bias and penalties. The changed tokens are computed on the CPU, as in the sampler. */
  async #processed(
    row: DeviceLogits,
    settings: SamplingSettings,
    history: TokenHistory,
  ): Promise<DeviceLogits | Float32Array> {
    const { vocabularySize } = row.summary;
    const changed = new Set<TokenId>();
    applyBiasAndPenalties(settings, history, (token) => token < vocabularySize && changed.add(token));
    const tokens = [...changed];
    const logits = await this.#logitsOf(row, tokens);
    const scores = new Map(tokens.map((token, place) => [token, logits[place] as number]));
    applyBiasAndPenalties(settings, history, (token, by) => {
      const score = scores.get(token);
      if (score !== undefined) scores.set(token, Math.fround(by(score)));
    });
    const change = { mask: null, tokens, logits: tokens.map((token) => scores.get(token) as number) };
    return row.change(change, settings.temperature);
  }

  logprobsOf(token: TokenId): TokenLogprobs | Promise<TokenLogprobs> {
    const logprobs = (before: number, after: number): TokenLogprobs => ({
      before: before - this.distribution.logSumExp,
      after: after - this.#distributionAfter.logSumExp,
    });
    if (this.#brought) {
      const { before, host } = this.#brought;
      return logprobs(before[token] ?? 0, host.logits[token] ?? 0);
    }
    const [before, after] = [this.#before, this.#after].map(({ summary }) => listedLogit(summary, token));
    if (before != null && after != null) return logprobs(before, after);
    return this.#asked(async () => {
      const [first, second] = await Promise.all(
        [this.#before, this.#after].map((row) => this.#logitsOf(row, [token])),
      );
      return logprobs(first?.[0] ?? 0, second?.[0] ?? 0);
    });
  }

  problem(): Promise<string | null> {
    return this.#asked(async () => logitsProblem(await this.#before.read()));
  }

  /** Reads logits of named tokens; the logits of the summary are on the CPU already. */
  async #logitsOf(row: DeviceLogits, tokens: readonly TokenId[]): Promise<ArrayLike<number>> {
    const known = new Map<TokenId, number>();
    for (const [place, token] of row.summary.tokens.entries()) {
      known.set(token, row.summary.logits[place] as number);
    }
    const missing = row.summary.isComplete ? [] : tokens.filter((token) => !known.has(token));
    const gathered = await row.gather(missing);
    for (const [place, token] of missing.entries()) known.set(token, gathered[place] as number);
    return tokens.map((token) => known.get(token) ?? Number.NEGATIVE_INFINITY);
  }

  /** Reads all logits, with the edits so far. */
  async #bring(): Promise<CpuLogits> {
    if (this.#brought) return this.#brought.host;
    const isEdited = this.#after !== this.#before;
    const [before, after] = await Promise.all([this.#before.read(), isEdited ? this.#after.read() : null]);
    // The recorded distribution comes from the summary, whether or not the logits are read later.
    const host = new CpuLogits(before, this.#workspace, this.distribution);
    if (after) host.edit(after);
    this.#brought = { before, host };
    return host;
  }

  async #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof InvalidActionError) throw error;
      throw this.#fail(error);
    }
  }
}
