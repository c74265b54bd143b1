/**
 * Logits from a server that lists only the most likely tokens, with the mods' edits. If the listed tokens do not decide a choice,
 * this class asks the server for named tokens, then for a longer list, and at last for a token that the server draws among the
 * others. After a mod replaced all logits, every logit is known, and the server is asked nothing about the choice.
 */
import { hasBiasOrPenalty } from "../../base/sampling.ts";
import { hasToken } from "../../masks/vocabulary/token-bits.ts";
import { InvalidActionError, type SparseLogitsEdit } from "../../sdk/action.ts";
import type { SamplingSettings, TokenId } from "../../sdk/request.ts";
import type { WireTop } from "../../sdk/wire-event.ts";
import { type ListedLogits, longerListLength } from "../ports/listed-logits.ts";
import type {
  Distribution,
  DrawInput,
  EditableLogits,
  TokenChoice,
  TokenHistory,
  TokenLogprobs,
} from "../ports/logits.ts";
import { RequestError } from "../ports/request-error.ts";
import { CpuLogits, type LogitsWorkspace } from "./cpu-logits.ts";
import { type KnownLogits, rankTokens } from "./known-scores.ts";
import { distributionOfKnownLogits, distributionOfListed } from "./listed-distribution.ts";
import { drawFromListed, hasNoCutOff, neutralCutOffs, probabilityFromListed } from "./listed-draw.ts";
import { applyBiasAndPenalties } from "./sampler.ts";

/** If a mask allows at most this many tokens, the server is asked for each of these tokens. */
const mostAsked = longerListLength;

/** Unlisted tokens matter if they have more than this share of the probability that an edit leaves. */
const matters = 0.01;

export class PartialLogits implements EditableLogits {
  readonly distribution: Distribution;
  readonly logits = null;
  #distributionAfter: Distribution;
  /** The longest list so far. */
  #list: ListedLogits;
  /** See `#known`. */
  #knownOrNull: Map<TokenId, number> | null = null;
  #edits: readonly PreparedEdit[] = [];
  /** The logits with which a mod replaced all logits, and the edits after that; null if no mod did. */
  #replacement: CpuLogits | null = null;
  readonly #workspace: LogitsWorkspace;
  readonly #fail: (error: unknown) => unknown;

  /** @param fail what to throw after an error of the server */
  constructor(list: ListedLogits, workspace: LogitsWorkspace, fail: (error: unknown) => unknown) {
    this.#list = list;
    this.#workspace = workspace;
    this.#fail = fail;
    this.distribution = distributionOfListed(list);
    this.#distributionAfter = this.distribution;
  }

  /**
   * Holds the model's log-probabilities: of the tokens that the server listed, and of the tokens that we asked for by id. Made when it
   * is needed: at most steps the list decides alone.
   */
  get #known(): Map<TokenId, number> {
    if (this.#knownOrNull) return this.#knownOrNull;
    this.#knownOrNull = new Map();
    this.#note(this.#list);
    return this.#knownOrNull;
  }

  get distributionAfter(): Distribution {
    return this.#replacement?.distributionAfter ?? this.#distributionAfter;
  }

  get isEdited(): boolean {
    return this.#replacement !== null || this.#edits.length > 0;
  }

  topK(count: number): WireTop {
    if (this.#replacement) return this.#replacement.topK(count);
    const { logSumExp } = this.#distributionAfter;
    const top = rankTokens(this.#knownScores(this.#edits)).slice(0, count);
    return {
      tokens: Int32Array.from(top, ({ token }) => token),
      logprobs: Float32Array.from(top, ({ score }) => score - logSumExp),
    };
  }

  canSample(mask: Uint32Array): boolean {
    if (this.#replacement) return this.#replacement.canSample(mask);
    return this.#hasToken(this.#edits, (token) => hasToken(mask, token));
  }

  prepare(): void {}

  edit(edit: Float32Array | SparseLogitsEdit): Promise<void> {
    return this.#asked(async () => {
      if (edit instanceof Float32Array) return this.#replace(edit);
      if (this.#replacement) return this.#replacement.edit(edit);
      const edits = [...this.#edits, prepared(edit)];
      // A token whose logit is changed has to be known: it may become the most likely.
      await this.#ask(Object.keys(edit.add ?? {}).map(Number));
      if (!this.#hasToken(edits, () => true))
        throw new InvalidActionError(
          "adjustLogits",
          "forwardPass",
          "No token is left: every logit is -Infinity.",
        );
      await this.#askAllowed(edits);
      this.#edits = edits;
      this.#distributionAfter = distributionOfKnownLogits(this.#knownScores(edits));
    });
  }

  /** The model's logits no longer matter, so the list need not have them. */
  #replace(logits: Float32Array): void {
    const replacement = new CpuLogits(logits.slice(), this.#workspace);
    const problem = replacement.problem();
    if (problem !== null) throw new InvalidActionError("adjustLogits", "forwardPass", problem);
    this.#replacement = replacement;
  }

  sample(draw: DrawInput): TokenChoice | Promise<TokenChoice> {
    if (this.#replacement) return this.#replacement.sample(draw);
    const first = this.isEdited ? null : this.#firstOfList(draw);
    return first ?? this.#asked(() => this.#sample(this.#edits, draw));
  }

  sampleUnedited(draw: DrawInput): TokenChoice | Promise<TokenChoice> {
    return this.#firstOfList(draw) ?? this.#asked(() => this.#sample([], draw));
  }

  /** The choice at temperature 0, if the list decides it: its first token is more likely than its last. */
  #firstOfList({ settings }: DrawInput): TokenChoice | null {
    const { tokens, logprobs } = this.#list;
    const [first, last] = [logprobs[0] ?? 0, logprobs.at(-1) ?? 0];
    if (settings.temperature !== 0 || hasBiasOrPenalty(settings) || first <= last) return null;
    return { token: tokens[0] as TokenId, probability: 1, candidates: 1 };
  }

  choiceOf(
    token: TokenId,
    settings: SamplingSettings,
    history: TokenHistory,
  ): TokenChoice | Promise<TokenChoice> {
    if (this.#replacement) return this.#replacement.choiceOf(token, settings, history);
    return this.#asked(async () => {
      await this.#ask([token]);
      for (;;) {
        const known = await this.#processed(this.#edits, settings, history);
        const choice = probabilityFromListed(known, settings, token);
        if (choice) return choice;
        if (!(await this.#listMore())) return { token, probability: 0, candidates: 1 };
      }
    });
  }

  knownChoiceOf(token: TokenId, settings: SamplingSettings, history: TokenHistory): Promise<TokenChoice> {
    return this.#asked(async () => {
      if (this.#replacement) return this.#replacement.choiceOf(token, settings, history);
      await this.#ask([token]);
      const known = await this.#processed(this.#edits, settings, history);
      const choice = probabilityFromListed(known, settings, token);
      if (choice) return choice;
      // Without cut-offs the token has less probability than with them.
      const { probability = 0, candidates = 1 } =
        probabilityFromListed(known, { ...settings, ...neutralCutOffs }, token) ?? {};
      return { token, probability, candidates };
    });
  }

  logprobsOf(token: TokenId): TokenLogprobs | Promise<TokenLogprobs> {
    const of = (before: number): TokenLogprobs => ({
      before,
      after:
        this.#replacement?.logprobsOf(token).after ??
        edited(this.#edits, token, before) - this.#distributionAfter.logSumExp,
    });
    const { tokens, logprobs } = this.#list;
    const known = token === tokens[0] ? logprobs[0] : this.#known.get(token);
    if (known !== undefined) return of(known);
    return this.#asked(async () => {
      await this.#ask([token]);
      return of(this.#known.get(token) ?? Number.NEGATIVE_INFINITY);
    });
  }

  /** Always null, since the server's numbers are checked on arrival. */
  problem(): null {
    return null;
  }

  async #sample(
    edits: readonly PreparedEdit[],
    { settings, history, draw }: DrawInput,
  ): Promise<TokenChoice> {
    let isAskedAgain = false;
    for (;;) {
      const known = await this.#processed(edits, settings, history);
      const drawn = drawFromListed(known, settings, draw, isAskedAgain);
      if (typeof drawn !== "string") return drawn;
      if (this.#isLong && settings.temperature === 0) return this.#best(edits, settings, history);
      if (this.#isLong && this.#list.serverDraws && drawn === "outside" && hasNoCutOff(settings))
        return this.#drawOutside(edits, settings, draw);
      if (!(await this.#listMore())) throw new RequestError(undecided(this.#list, settings));
      isAskedAgain = true;
    }
  }

  /** The list has as many tokens as are asked for before the server draws. */
  get #isLong(): boolean {
    const { tokens, mostListed } = this.#list;
    return tokens.length >= Math.min(longerListLength, mostListed);
  }

  /** Asks the server for the most likely unlisted token, and returns the best of all known tokens. */
  async #best(
    edits: readonly PreparedEdit[],
    settings: SamplingSettings,
    history: TokenHistory,
  ): Promise<TokenChoice> {
    await this.#ask([await this.#list.drawOutside(this.#excluded(edits), 0, 0)]);
    const [best] = rankTokens(await this.#processed(edits, settings, history));
    if (!best) throw new Error("No token is left: every logit is -Infinity.");
    return { token: best.token, probability: 1, candidates: 1 };
  }

  /** Tokens that the server's draw must leave out: known tokens and tokens that edits ban. */
  #excluded(edits: readonly PreparedEdit[]): TokenId[] {
    const excluded: TokenId[] = [];
    for (let token = 0; token < this.#list.vocabularySize; token++)
      if (this.#known.has(token) || !isAllowed(edits, token)) excluded.push(token);
    return excluded;
  }

  /** The server draws among the tokens that are not known and that the edits leave. */
  async #drawOutside(
    edits: readonly PreparedEdit[],
    { temperature }: SamplingSettings,
    draw: number,
  ): Promise<TokenChoice> {
    const { vocabularySize } = this.#list;
    const excluded = this.#excluded(edits);
    const token = await this.#list.drawOutside(excluded, temperature, Math.floor(draw * 2 ** 32));
    await this.#ask([token]);
    const { logSumExp } = edits.length === 0 ? this.distribution : this.#distributionAfter;
    const probability = Math.min(1, Math.exp((this.#known.get(token) ?? 0) - logSumExp));
    return { token, probability, candidates: vocabularySize, drawnBy: "server" };
  }

  /** Known scores after edits, bias and penalties. Asks for tokens that these may raise above the border. */
  async #processed(
    edits: readonly PreparedEdit[],
    settings: SamplingSettings,
    history: TokenHistory,
  ): Promise<KnownLogits> {
    if (!hasBiasOrPenalty(settings)) return this.#knownScores(edits);
    const { vocabularySize } = this.#list;
    const changed = new Set<TokenId>();
    applyBiasAndPenalties(settings, history, (token) => token < vocabularySize && changed.add(token));
    await this.#ask([...changed]);
    const known = this.#knownScores(edits);
    const scores = new Map(known.scores);
    applyBiasAndPenalties(settings, history, (token, by) => {
      const score = scores.get(token);
      if (score !== undefined) scores.set(token, Math.fround(by(score)));
    });
    return { ...known, scores };
  }

  #knownScores(edits: readonly PreparedEdit[]): KnownLogits {
    const { vocabularySize, logprobs } = this.#list;
    let listed = 0;
    for (const logprob of this.#known.values()) listed += Math.exp(logprob);
    const scores = edits.length === 0 ? this.#known : this.#editedScores(edits);
    const isAll = this.#known.size >= vocabularySize || !this.#hasOther(edits);
    const most = isAll ? 0 : Math.max(0, 1 - listed);
    // If an edit bans some of the unknown tokens, the probability of the rest of them is unknown.
    const least = edits.some(touchesOthers(this.#known)) ? 0 : most;
    const border = isAll ? Number.NEGATIVE_INFINITY : (logprobs.at(-1) ?? 0);
    return { scores, vocabularySize, border, rest: { least, most } };
  }

  #editedScores(edits: readonly PreparedEdit[]): ReadonlyMap<TokenId, number> {
    const scores = new Map<TokenId, number>();
    for (const [token, logprob] of this.#known) scores.set(token, edited(edits, token, logprob));
    return scores;
  }

  /** Whether a token that passes the test can be sampled. Every token of the model's own row can. */
  #hasToken(edits: readonly PreparedEdit[], test: (token: TokenId) => boolean): boolean {
    for (const token of this.#list.tokens) if (test(token) && isAllowed(edits, token)) return true;
    for (let token = 0; token < this.#list.vocabularySize; token++)
      if (test(token) && isAllowed(edits, token)) return true;
    return false;
  }

  /** Whether a token that is not known can be sampled. */
  #hasOther(edits: readonly PreparedEdit[]): boolean {
    return edits.length === 0 || this.#hasToken(edits, (token) => !this.#known.has(token));
  }

  /** Asks for the tokens that edits allow, if the listed tokens have too little probability among the allowed. */
  async #askAllowed(edits: readonly PreparedEdit[]): Promise<void> {
    for (;;) {
      const { scores, rest } = this.#knownScores(edits);
      let left = 0;
      for (const score of scores.values()) left += Math.exp(score);
      if (rest.least === rest.most || rest.most <= matters * left) return;
      const others: TokenId[] = [];
      for (let token = 0; token < this.#list.vocabularySize && others.length <= mostAsked; token++)
        if (!this.#known.has(token) && isAllowed(edits, token)) others.push(token);
      if (others.length <= mostAsked) return this.#ask(others);
      if (left > 0 && this.#isLong) return;
      if (!(await this.#listMore())) return;
    }
  }

  async #ask(tokens: readonly TokenId[]): Promise<void> {
    const missing = tokens.filter((token) => !this.#known.has(token));
    if (missing.length === 0) return;
    const logprobs = await this.#list.logprobsOf(missing);
    for (const [place, token] of missing.entries()) this.#known.set(token, logprobs[place] as number);
  }

  /** False if the server lists no more. */
  async #listMore(): Promise<boolean> {
    const { mostListed, tokens } = this.#list;
    if (tokens.length >= mostListed) return false;
    const count = this.#isLong ? mostListed : Math.min(longerListLength, mostListed);
    this.#list = await this.#list.list(count);
    this.#note(this.#list);
    return true;
  }

  #note({ tokens, logprobs, drawn }: ListedLogits): void {
    if (drawn && drawn.logprob !== null && !this.#known.has(drawn.token))
      this.#known.set(drawn.token, drawn.logprob);
    for (let place = 0; place < tokens.length; place++) {
      const token = tokens[place] as TokenId;
      if (!this.#known.has(token)) this.#known.set(token, logprobs[place] as number);
    }
  }

  async #asked<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof InvalidActionError || error instanceof RequestError) throw error;
      throw this.#fail(error);
    }
  }
}

/** The message of a request that ends because its draw needs tokens that the server does not list. */
function undecided({ mostListed, serverDraws }: ListedLogits, { temperature }: SamplingSettings): string {
  const mayNot = serverDraws
    ? ""
    : " The server is not allowed to draw a token itself (serverDraws is false).";
  return `The server lists at most ${mostListed} tokens at each step. That is too few to draw a token at temperature ${temperature}.${mayNot} Set top-k below ${mostListed}, or configure the server to list more tokens.`;
}

/** An edit with sets instead of lists, because each token of the vocabulary is looked up in them. */
interface PreparedEdit extends Pick<SparseLogitsEdit, "mask" | "add"> {
  readonly only: ReadonlySet<TokenId> | undefined;
  readonly ban: ReadonlySet<TokenId> | undefined;
}

function prepared({ mask, only, ban, add }: SparseLogitsEdit): PreparedEdit {
  return { mask, add, only: only && new Set(only), ban: ban && new Set(ban) };
}

/** Whether edits leave a token that can be sampled. */
function isAllowed(edits: readonly PreparedEdit[], token: TokenId): boolean {
  return edited(edits, token, 0) > Number.NEGATIVE_INFINITY;
}

/** A logit after edits, as `editLogits` makes it. */
function edited(edits: readonly PreparedEdit[], token: TokenId, logit: number): number {
  let score = logit;
  for (const { mask, only, ban, add } of edits) {
    const isKept = (!mask || hasToken(mask, token)) && (!only || only.has(token)) && !ban?.has(token);
    if (!isKept) score = Number.NEGATIVE_INFINITY;
    const by = add?.[token];
    if (by !== undefined) score = Math.fround(score + by);
  }
  return score;
}

/** Whether an edit changes a token that is not known. Tokens of `add` are asked for first. */
const touchesOthers =
  (known: ReadonlyMap<TokenId, number>) =>
  ({ mask, only, ban }: PreparedEdit): boolean =>
    mask !== undefined || only !== undefined || [...(ban ?? [])].some((token) => !known.has(token));
