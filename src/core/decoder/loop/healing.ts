/**
 * Token healing. A text that a mod or a raw prompt puts before the model's own tokens may end within a word, or in a space that
 * the model writes as part of the next word: its last tokens are then ones that the model has hardly ever seen there.
 *
 * Example: a mod forces "The capital of France is ", whose last token is " ". The pass that reads this text also gives the logits
 * before the token " ". There the token " Paris", which begins with a space, is likelier than " " itself. So the loop takes " "
 * back and takes " Paris". If " " itself is taken, the text stays as it is, and nothing is recorded.
 *
 * The last tokens are looked at together as long as their bytes begin a longer token: " Fr", "an" begin " France". At each of
 * them, from the first on, the choice is between the token itself and the tokens that begin with all bytes which follow. The logits
 * are those of the pass that reads the text, so healing costs no further pass. A model whose graph gives the logits of the last
 * position only takes one pass more (`read-text.ts`), and there only the first of the last tokens is looked at.
 */
import { hasBiasOrPenalty } from "../../base/sampling.ts";
import { hasToken, setToken } from "../../masks/vocabulary/token-bits.ts";
import { tokensThatBeginWith } from "../../masks/vocabulary/token-prefixes.ts";
import { vocabularyOf } from "../../masks/vocabulary/vocabulary.ts";
import { InvalidActionError } from "../../sdk/action.ts";
import type { TokenId } from "../../sdk/request.ts";
import type { TraceHealed } from "../../trace/format/format.ts";
import type { Distribution, EditableLogits, TokenChoice, TokenLogprobs } from "../ports/logits.ts";
import type { DecodeState } from "./decode-state.ts";
import { findHealableTails, type HealableTail, logitsBeforeLast } from "./healable-end.ts";
import { isHiddenStep, type StepLogits, samplingSettingsWith } from "./logits-of-step.ts";

/** The token that replaces the end of a text, and what the trace records of the choice. */
export interface HealingChoice {
  readonly choice: TokenChoice;
  readonly draw: number;
  readonly logprobs: TokenLogprobs;
  /** The token that the same draw would choose if every token were allowed. */
  readonly unhealed: TokenId;
  readonly before: Distribution;
  readonly after: Distribution;
}

/** A decision to heal a text: which tokens to remove, and the token that replaces them. */
export interface Healing {
  readonly healed: TraceHealed;
  /** Index of the mod that gave the text; null for the text of the prompt. */
  readonly mod: number | null;
  /** Null if the choice comes from the trace of another request. */
  readonly chosen: HealingChoice | null;
}

/** Whether the end of the text is to be healed at this step, and how; null if the tokens stay. @throws ForwardError */
export async function findHealing(state: DecodeState, stepLogits: StepLogits): Promise<Healing | null> {
  const { output, source } = state;
  if (source.isPast) {
    const healed = source.nextHealing();
    return healed && { healed, mod: output.healableEnd?.mod ?? null, chosen: null };
  }
  // A mask already says how the text continues, and a token that a user chose is not changed.
  if (stepLogits.userToken !== null || stepLogits.isConstrained) return null;
  const factory = state.logits.factory.separate();
  try {
    for (const tail of findHealableTails(state)) {
      const row = logitsBeforeLast(state, tail.count);
      const place = row && { tail, logits: factory.of(row) };
      const chosen =
        place && !staysSurely(state, stepLogits, place) ? await chooseAt(state, stepLogits, place) : null;
      if (chosen && chosen.choice.token !== tail.token) return healingOf(state, tail, chosen);
    }
    return null;
  } finally {
    factory.releaseEdited();
  }
}

function healingOf({ output }: DecodeState, { count, bytes }: HealableTail, chosen: HealingChoice): Healing {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const healed = { text, tokens: count, inPrompt: output.length === 0 };
  return { healed, mod: output.healableEnd?.mod ?? null, chosen };
}

interface Place {
  readonly tail: HealableTail;
  /** The logits after the text before the tail. */
  readonly logits: EditableLogits;
}

/**
 * Whether a server's most likely tokens show that the choice falls on the tail's own token. The server is then not asked for the
 * probabilities of the other tokens, since nothing is recorded of a tail that stays.
 */
function staysSurely(
  state: DecodeState,
  { edits, temperature }: StepLogits,
  { tail, logits }: Place,
): boolean {
  const settings = samplingSettingsWith(state, temperature);
  const { top, partial } = logits.distribution;
  if (!partial || settings.temperature > 0 || hasBiasOrPenalty(settings) || edits.length > 0) return false;
  const others = tokensThatBeginWith(vocabularyOf(state.ports.tokenizer), tail.bytes);
  const best = top.find(({ token }) => token === tail.token || (others && hasToken(others, token)));
  // An unlisted token is at most as likely as the last one here.
  return best?.token === tail.token && best.logprob > (top.at(-1)?.logprob ?? 0);
}

/** Chooses between the tail's first token and the tokens that begin with all of its bytes; null if mods banned all of them. */
async function chooseAt(
  state: DecodeState,
  stepLogits: StepLogits,
  { tail, logits }: Place,
): Promise<HealingChoice | null> {
  const { output, ports, draws, request } = state;
  const vocabulary = vocabularyOf(ports.tokenizer);
  const settings = samplingSettingsWith(state, stepLogits.temperature);
  const mask = resizeTokenMask(
    tokensThatBeginWith(vocabulary, tail.bytes),
    ports.kvCache.model.vocabularySize,
  );
  setToken(mask, tail.token);
  try {
    await logits.edit({ mask }, settings);
    for (const edit of stepLogits.edits) await logits.edit(edit, settings);
  } catch (error) {
    if (error instanceof InvalidActionError) return null;
    throw error;
  }
  const end = output.sequence.length - tail.count;
  const history = {
    tokens: output.sequence.slice(0, end),
    promptLength: Math.min(output.promptLength, end),
  };
  const step = Math.max(0, output.length - tail.count);
  const draw = draws.peek(step, isHiddenStep(state, stepLogits));
  const choice = await logits.sample({ settings, history, draw, isBoth: true });
  const unedited = await logits.sampleUnedited({
    settings: request.sampling,
    history,
    draw,
    isBoth: true,
  });
  return {
    choice,
    draw,
    logprobs: await logits.logprobsOf(choice.token),
    unhealed: unedited.token,
    before: logits.distribution,
    after: logits.distributionAfter,
  };
}

/** The mask in as many words as the model's logits need: some models have more rows than their tokenizer has tokens. */
export function resizeTokenMask(mask: Uint32Array | null, vocabularySize: number): Uint32Array {
  const words = new Uint32Array(Math.ceil(vocabularySize / 32));
  if (mask) words.set(mask.subarray(0, words.length));
  return words;
}
