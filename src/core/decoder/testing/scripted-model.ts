/** A language model whose logits a test sets: a function of the tokens in its context. Keeps the plan of its passes. */
import type { TokenId } from "../../sdk/request.ts";
import {
  type CacheSegment,
  type CacheSegments,
  type LanguageModel,
  ModelDeadError,
} from "../ports/language-model.ts";

export interface ScriptedModelOptions {
  readonly vocabularySize: number;
  readonly endOfSequence: readonly TokenId[];
  /** `(vocabulary)`: logits after these tokens. Called once for each token of a pass that is asked a row for. */
  readonly logits: (context: readonly TokenId[]) => ArrayLike<number>;
  readonly capacity?: number;
  /** 512 unless given. */
  readonly promptPassTokens?: number;
  /** There is memory for so many tokens, those of segments among them: beyond, a pass or a copy is refused and the model is as before. */
  readonly memory?: number;
  /** Answers one row whatever is asked, as a graph that computes the last position alone. */
  readonly lastRowOnly?: boolean;
  /** None unless given: nothing is drafted. */
  readonly passCost?: (tokens: number) => number;
  /** Throws this in the pass with this number, counted from 0, and is dead from then on. */
  readonly dies?: { readonly pass: number; readonly cause: Error };
}

export interface ScriptedPass {
  /** Tokens in the cache before it. */
  readonly at: number;
  readonly tokens: readonly TokenId[];
}

export interface ScriptedModel extends LanguageModel {
  /** Every pass, in order. */
  readonly passes: readonly ScriptedPass[];
  /** The tokens in the cache. */
  readonly context: readonly TokenId[];
}

export function scriptedModel(options: ScriptedModelOptions): ScriptedModel {
  const { vocabularySize, endOfSequence, capacity = 4096, lastRowOnly = false, dies } = options;
  const { promptPassTokens = 512, memory = capacity } = options;
  const context: TokenId[] = [];
  const segments = new Map<CacheSegment, readonly TokenId[]>();
  const passes: ScriptedPass[] = [];
  let isDead = false;

  function check(tokens: readonly TokenId[], rows: number): void {
    const dead = isDead || dies?.pass === passes.length;
    isDead = dead;
    if (dead) throw new ModelDeadError("The scripted model died: load it again.", { cause: dies?.cause });
    const stranger = tokens.find((token) => !Number.isInteger(token) || token < 0 || token >= vocabularySize);
    if (stranger !== undefined) throw new RangeError(`Token ${stranger} is not in the vocabulary.`);
    if (tokens.length === 0) throw new RangeError("A pass needs at least one token.");
    if (!Number.isInteger(rows) || rows < 1 || rows > tokens.length) throw new RangeError(`No ${rows} rows.`);
    if (context.length + tokens.length > capacity) throw new RangeError(`The context holds ${capacity}.`);
    checkMemory(tokens.length);
  }

  function checkMemory(count: number): void {
    const kept = [...segments.values()].reduce((sum, { length }) => sum + length, 0);
    if (context.length + kept + count > memory) throw new RangeError(`There is memory for ${memory} tokens.`);
  }

  /** A byte for each token. */
  const keptSegments: CacheSegments = {
    bytesOf: (from, to) => to - from,
    async save(from, to) {
      if (isDead) throw new ModelDeadError("The scripted model died: load it again.");
      if (!(from >= 0 && from < to && to <= context.length))
        throw new RangeError(`The context holds ${context.length} tokens, not ${from} to ${to}.`);
      checkMemory(to - from);
      const segment = { from, to, bytes: to - from };
      segments.set(segment, context.slice(from, to));
      return segment;
    },
    async restore(tokens, parts) {
      if (isDead) throw new ModelDeadError("The scripted model died: load it again.");
      const joined: TokenId[] = [];
      for (const [i, part] of parts.entries()) {
        const end = parts[i + 1]?.from ?? tokens.length;
        if (part.from !== joined.length || end > part.to) throw new RangeError("Segments that do not join.");
        joined.push(...(segments.get(part)?.slice(0, end - part.from) ?? []));
      }
      if (String(joined) !== String(tokens)) throw new RangeError("Segments of another text.");
      context.splice(0, context.length, ...tokens);
    },
    free: (segment) => void segments.delete(segment),
  };

  return {
    vocabularySize,
    capacity,
    promptPassTokens,
    passCost: options.passCost,
    endOfSequence,
    passes,
    context,
    segments: keptSegments,
    get length() {
      return context.length;
    },
    async forward(tokens, rows = 1) {
      check(tokens, rows);
      passes.push({ at: context.length, tokens: [...tokens] });
      const answered = lastRowOnly ? 1 : rows;
      const logits = new Float32Array(answered * vocabularySize);
      for (const [position, token] of tokens.entries()) {
        context.push(token);
        const row = position - (tokens.length - answered);
        if (row >= 0) logits.set(Float32Array.from(options.logits(context)), row * vocabularySize);
      }
      return logits;
    },
    truncate(length) {
      if (isDead) throw new ModelDeadError("The scripted model died: load it again.");
      if (!(Number.isInteger(length) && length >= 0 && length <= context.length))
        throw new RangeError(`The cache holds ${context.length}, not ${length}.`);
      context.length = length;
    },
    async dispose() {
      isDead = true;
    },
  };
}
