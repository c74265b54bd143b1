/**
 * A constraint as a `LogitsProcessor` for @huggingface/transformers, which this file describes by types and does not import.
 */
import { describeValue } from "../../base/show.ts";
import { type ConstraintState, constraintOf } from "../masks/constraint.ts";
import { checkOptions } from "../strategies/arguments.ts";
import type { Strategy } from "../strategy.ts";
import { hasToken } from "../vocabulary/token-bits.ts";
import type { TokenBytes } from "../vocabulary/token-texts.ts";
import { applyMask, type Logits } from "./apply-mask.ts";
import { assertStrategy, toVocabulary } from "./check.ts";
import { followRows, type RowRules, type SequenceRow, type TokenRow } from "./sequence-rows.ts";
import { checkEndTokens } from "./vocabulary-from-list.ts";
import type { TransformersTokenizer } from "./vocabulary-from-tokenizer.ts";

/** A tensor of logits, one row for each sequence: `dims` is [batch, vocabulary], `data` is float32. */
export interface LogitsTensor {
  readonly data: ArrayLike<unknown>;
  readonly dims: readonly number[];
}

export interface LogitsProcessorOptions {
  /** Tokens at which generate() ends a sequence: the model's `generation_config.eos_token_id`. Default: the tokenizer's. */
  readonly eosTokenIds?: number | readonly number[];
  /**
   * The number of prompt tokens at the start of every row; the answer begins after them. Default: detected, see
   * `createLogitsProcessor`. Give it if the first call already has a part of the answer.
   */
  readonly promptLength?: number;
}

type Process = <Tensor extends LogitsTensor>(inputIds: readonly TokenRow[], logits: Tensor) => Tensor;

/** A function from tokens and logits to logits. It is also the list of processors that generate() expects. */
export interface ConstraintLogitsProcessor extends Process {
  /** The processor itself, and the processors that were pushed after it. */
  readonly processors: Process[];
  readonly _call: Process;
  push(processor: Process): void;
  extend(processors: readonly Process[]): void;
  [Symbol.iterator](): ArrayIterator<Process>;
  /**
   * Forgets the answers so far, so that the next call begins new ones. Needed only if each new prompt is exactly a former
   * prompt with its whole answer.
   */
  reset(): void;
}

/**
 * Keeps what generate() writes to a strategy: `await model.generate({ ...inputs, logits_processor: processor })`. Greedy or
 * sampled; one prompt or a batch of them, padded or not; one strategy for all rows, or a list with one for each. A row whose
 * answer is complete can only end, and one that has ended is filled with ends of sequence until the others have.
 *
 * The answer of a row begins where the first call of a generate() finds its end. A call whose rows are each one token longer
 * than those of the call before goes on with them; any other call begins anew, so one processor serves request after request.
 * Rows are read by what is in them: rows that were reordered, doubled or dropped, as a beam search does, keep their places in
 * the constraint. (transformers.js 4.3 takes `num_beams` and searches no beams.)
 *
 * @example
 * const processor = createLogitsProcessor(jsonSchema(schema), tokenizer);
 * const output = await model.generate({ ...inputs, max_new_tokens: 200, logits_processor: processor });
 *
 * @throws TypeError for what is no strategy, tokenizer or vocabulary. @throws RangeError for a wrong option, StrategyError for an unknown one.
 * The processor throws an Error when a token came that was not allowed, or when every allowed one was ruled out before; its first
 * call throws a ConstraintLimitError or StrategyError for a strategy that is too large or allows no text.
 */
export function createLogitsProcessor(
  strategy: Strategy | readonly Strategy[],
  source: TokenBytes | TransformersTokenizer,
  options: LogitsProcessorOptions = {},
): ConstraintLogitsProcessor {
  checkOptions("createLogitsProcessor", options, ["eosTokenIds", "promptLength"]);
  for (const each of [strategy].flat()) assertStrategy(each);
  const eosTokenIds = endsOf(options);
  const vocabulary = toVocabulary(source, eosTokenIds);
  const rules: RowRules = {
    promptLength: promptLengthOf(options),
    eosTokenIds: eosTokenIds ?? vocabulary.eosTokenIds,
    start: (index, count) => constraintOf(strategyOf(strategy, index, count), vocabulary).start,
    notAllowed,
  };
  checkEndTokens(rules.eosTokenIds, vocabulary.vocabSize);
  if (rules.eosTokenIds.length === 0)
    throw new RangeError(
      "There is no end-of-sequence token to end the output: give the model's eosTokenIds.",
    );
  let rows: readonly SequenceRow[] = [];
  const constrain: Process = (inputIds, logits) => {
    const width = widthOf(inputIds, logits);
    rows = followRows(rules, rows, inputIds);
    if (rows.every(({ hasEnded }) => hasEnded)) throw endedAlready(rules.eosTokenIds);
    for (const [index, row] of rows.entries()) {
      const data = logits.data as Logits;
      constrainRow(row, data.subarray(index * width, (index + 1) * width), rules.eosTokenIds);
    }
    return logits;
  };
  return asList(constrain, () => {
    rows = [];
  });
}

/** generate() expects a list of processors. If the list is called like a single processor, it works as one. */
function asList(constrain: Process, reset: () => void): ConstraintLogitsProcessor {
  const processors: Process[] = [constrain];
  const callAll: Process = (inputIds, logits) =>
    processors.reduce((processed, process) => process(inputIds, processed), logits);
  return Object.assign(callAll.bind(null) as Process, {
    processors,
    _call: callAll,
    push: (processor: Process) => void processors.push(processor),
    extend: (more: readonly Process[]) => void processors.push(...more),
    [Symbol.iterator]: () => processors.values(),
    reset,
  });
}

function constrainRow(
  { state, hasEnded, index }: SequenceRow,
  logits: Logits,
  ends: readonly number[],
): void {
  if (hasEnded) {
    applyMask(logits, new Uint32Array(0), ends);
    return;
  }
  const alsoAllowed = state.canEnd ? ends : [];
  // Earlier processors may have ruled out all canonical spellings.
  const mask = [state.samplingMask(), state.mask()].find((each) => isAnyPossible(logits, each, alsoAllowed));
  if (mask === undefined) throw nothingLeft(index, state);
  applyMask(logits, mask, alsoAllowed);
}

/** Whether any allowed token is not ruled out yet. The search usually ends at an early token. */
function isAnyPossible(logits: Logits, mask: Uint32Array, alsoAllowed: readonly number[]): boolean {
  const isPossible = (token: number) =>
    (logits[token] ?? Number.NEGATIVE_INFINITY) > Number.NEGATIVE_INFINITY;
  if (alsoAllowed.some(isPossible)) return true;
  for (let token = 0; token < logits.length && token < mask.length * 32; token++) {
    if (mask[token >> 5] === 0) token |= 31;
    else if (hasToken(mask, token) && isPossible(token)) return true;
  }
  return false;
}

function strategyOf(strategy: Strategy | readonly Strategy[], index: number, count: number): Strategy {
  if (!Array.isArray(strategy)) return strategy as Strategy;
  const list = strategy as readonly Strategy[];
  const found = list[index];
  if (found !== undefined && list.length === count) return found;
  throw new RangeError(
    `${list.length} strategies were given for a batch of ${count}: give one for each row, or one for all.`,
  );
}

function widthOf(inputIds: readonly TokenRow[], { data, dims }: LogitsTensor): number {
  const width = dims.at(-1) ?? 0;
  if (
    (data instanceof Float32Array || data instanceof Float64Array) &&
    data.length === inputIds.length * width
  )
    return width;
  throw new TypeError(
    `The logits are ${data.constructor?.name} of shape [${dims.join(", ")}]: for ${inputIds.length} sequences, they must be float32 of shape [${inputIds.length}, vocabulary].`,
  );
}

function endsOf({ eosTokenIds }: LogitsProcessorOptions): readonly number[] | undefined {
  return typeof eosTokenIds === "number" ? [eosTokenIds] : eosTokenIds;
}

function promptLengthOf({ promptLength }: LogitsProcessorOptions): number | null {
  if (promptLength === undefined) return null;
  if (Number.isInteger(promptLength) && promptLength >= 0) return promptLength;
  throw new RangeError(
    `promptLength is ${describeValue(promptLength)}: give a whole number of tokens, or leave it out.`,
  );
}

function notAllowed({ index, tokens, promptLength, state }: SequenceRow, token: number): Error {
  const place = tokens.length - promptLength;
  const end = state.canEnd ? " The output could have ended there." : "";
  return new Error(
    `Row ${index}: the constraint does not allow token ${token} after ${place} tokens of output.${end} If the mask allowed this token, the output began at another position: give promptLength, or call reset().`,
  );
}

function nothingLeft(index: number, state: ConstraintState): Error {
  const cure = state.isComplete
    ? "The output is complete, so only an end-of-sequence token may follow. Does min_new_tokens, min_length or suppress_tokens forbid this token?"
    : "Which of bad_words_ids, suppress_tokens, no_repeat_ngram_size or your own processors rules out the next token?";
  return new Error(
    `Row ${index}: earlier processors ruled out every token that the constraint allows. ${cure}`,
  );
}

function endedAlready(ends: readonly number[]): Error {
  return new Error(
    `Every output has ended with token ${ends.join(" or ")}, but generate() continued: set eosTokenIds to the model's generation_config.eos_token_id, or call reset() before a new prompt.`,
  );
}
