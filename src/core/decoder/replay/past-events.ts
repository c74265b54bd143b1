/** The past events for a catch-up (`catch-up.ts`): each recorded event, with the output at the time of the event. */
import type { TokenId } from "../../sdk/request.ts";
import type {
  AddedRecord,
  BacktrackedRecord,
  ForwardPassRecord,
  ModCallRecord,
  PrefilledRecord,
  SampledRecord,
  TraceEventType,
  TraceHealed,
  TraceRecord,
} from "../../trace/format/format.ts";
import type { TraceBranchDifference } from "../../trace/format/format-request.ts";
import { beginStep, type DecodeState } from "../loop/decode-state.ts";
import { applyMaxSteps, limitByContext } from "../loop/limits.ts";
import { addedText, Output } from "../loop/output.ts";
import type { Change } from "../ports/change.ts";
import type { LoopEvent } from "../ports/mod-host.ts";
import { healingOfPass } from "./branch-point.ts";
import { isCountedChange } from "./derived-records.ts";
import type { Replay } from "./replay.ts";

/** A past event that the mods receive. */
export interface PastEvent {
  readonly type: Exclude<TraceEventType, "finished">;
  /** Place of its record. */
  readonly place: number;
  readonly step: number;
  /** The mods' recorded replies. */
  readonly calls: readonly ModCallRecord[];
  /** The event for mod number `mod`. A `forwardPass` event has no logits here; `catch-up-replies.ts` adds them. */
  loopEvent(mod: number): LoopEvent;
}

/** Follows the text of a request record by record, and collects the replies of its mods that differ from the recorded ones. */
export class PastRecordFollower {
  readonly state: DecodeState;
  readonly replay: Replay;
  /** The first reply that differs from the recorded one. */
  difference: TraceBranchDifference | null = null;
  /** Mods with at least one reply that differs. */
  readonly differing = new Set<number>();
  /** The end of the request, if a mod failed and the request stops at faults. */
  fatal: Change | null = null;
  /** The event of the last record, if the event is not answered yet. */
  unanswered: PastEvent | null = null;
  readonly #records: readonly TraceRecord[];
  /**
   * Whether the token of the current step is hidden, and which recorded mod hides it. If several mods edited
   * the step, the first one counts.
   */
  #isHiddenStep = false;
  #hidingMod = 0;

  constructor(state: DecodeState, replay: Replay) {
    this.state = state;
    this.replay = replay;
    this.#records = replay.point.records;
  }

  /** Changes the state to the time after this record. Returns the record's event; null if the record is not an event. */
  take(record: TraceRecord, place: number): PastEvent | null {
    switch (record.type) {
      case "prefilled":
        return this.#prefilled(record, place);
      case "forwardPass":
        return this.#forwardPass(record, place);
      case "sampled":
        return this.#sampled(record, place);
      case "added":
        return this.#added(record, place);
      case "backtracked":
        return this.#backtracked(record, place);
      case "modCall":
        if (isCountedChange(record)) this.state.counts.changes += 1;
        return null;
      default:
        return null;
    }
  }

  /** Hidden tokens at the end of the output now belong to the mod that replaces the mod that hid them, unless its replies differ. */
  passHiddenOn(): void {
    const { branchMods } = this.replay;
    const { hiddenBy } = this.state.output;
    if (hiddenBy === null || hiddenBy < this.state.mods.length) return;
    const replacing = branchMods.before.findIndex((set) =>
      [...set].some((mod) => branchMods.placeOf(mod) === hiddenBy),
    );
    if (replacing >= 0 && !this.differing.has(replacing)) this.state.output.setHiddenOwner(replacing);
  }

  #eventPlace() {
    const { output, request } = this.state;
    return { requestId: request.requestId, step: output.length, emitted: output.emitted };
  }

  #eventOf(type: PastEvent["type"], place: number, loopEvent: PastEvent["loopEvent"]): PastEvent {
    const step = this.state.output.length;
    return { type, place, step, calls: callsOf(this.#records, place, type), loopEvent };
  }

  #nameOf(mod: number | null): string | null {
    const [request] = this.#records;
    return mod === null || request?.type !== "request" ? null : (request.mods[mod]?.name ?? null);
  }

  #prefilled(record: PrefilledRecord, place: number): PastEvent {
    const { state } = this;
    const { requestId, messages, tools, responseFormat, prompt } = state.request;
    const maxTokens = state.limits.tokens;
    const event = this.#eventOf("prefilled", place, () => ({
      type: "prefilled",
      requestId,
      step: 0,
      tokens: prompt,
      messages,
      tools,
      responseFormat,
      maxTokens,
      ...(state.activations && { sizes: state.activations.sizes }),
    }));
    state.output = new Output(ids(record.tokens), state.ports.tokenizer, record.isOpen === true);
    for (const { action, fault } of event.calls) {
      const setsMaxSteps = fault === null && action.type === "adjustPrefill" && action.maxSteps !== null;
      if (setsMaxSteps) applyMaxSteps(state, action.maxSteps ?? 0);
    }
    limitByContext(state);
    return event;
  }

  #forwardPass({ before, tokenCount, contextLength }: ForwardPassRecord, place: number): PastEvent | null {
    const { state } = this;
    // Tokens of a pass in the middle of a prompt keep the steering of that time, even if later tokens of the prompt are
    // steered otherwise.
    if (before === null) {
      state.activations?.extendWithin(contextLength);
      return null;
    }
    const healed = healingOfPass(this.#records, place);
    beginHealing(state, healed);
    state.activations?.extend(state.output.sequence.length);
    beginStep(state, tokenCount > 0);
    state.logits.knownChoice = null;
    // The mods were not asked about the logits with which a text was healed.
    if (healed) return null;
    this.#isHiddenStep = state.output.hiddenBy !== null;
    const event = this.#eventOf("forwardPass", place, () => {
      throw new Error("The logits of a past forward pass are missing.");
    });
    this.#hidingMod = event.calls.find(({ action }) => action.type === "adjustLogits")?.mod ?? 0;
    return event;
  }

  #sampled(record: SampledRecord, place: number): PastEvent {
    const { state } = this;
    const { draws, output } = state;
    state.logits.knownChoice = { step: output.length, token: record.token };
    const next = this.#records[placeOfStepResult(this.#records, place)];
    const isQuestion = next?.type === "added" && next.source !== "sampled" && next.hidden;
    this.#isHiddenStep = output.hiddenBy !== null || (next?.type === "added" && !isQuestion && next.hidden);
    // If one mod hides the token of the step and another mod removes it, only the draw shows that the token was hidden.
    const isHiddenDraw =
      draws.peek(output.length, true) === record.draw && draws.peek(output.length, false) !== record.draw;
    this.#isHiddenStep ||= isHiddenDraw;
    draws.take(output.length, this.#isHiddenStep);
    // A question that began in place of the token does not use up its draw (`decode.ts`).
    if (isQuestion && !this.#isHiddenStep) draws.putBack(output.length, false);
    const hidden = this.#isHiddenStep;
    const text = output.textToAdd(record.token);
    return this.#eventOf("sampled", place, () => ({
      type: "sampled",
      ...this.#eventPlace(),
      token: record.token,
      text,
      logprob: record.logprobAfter,
      hidden,
    }));
  }

  #added(record: AddedRecord, place: number): PastEvent {
    const { state } = this;
    const { output } = state;
    const tokens = ids(record.tokens);
    if (record.counterfactual)
      state.logits.knownChoice ??= { step: output.length, token: record.counterfactual.token };
    const hiddenBy = record.hidden ? this.replay.branchMods.placeOf(record.mod ?? this.#hidingMod) : null;
    const group = output.append(tokens, record.source, hiddenBy);
    if (record.isOpen) output.markLastHealable(tokens.length, record.mod);
    state.healed = null;
    const mod = this.#nameOf(record.mod);
    const text = addedText(group);
    const hidden = output.hiddenBy !== null;
    return this.#eventOf("added", place, () => ({
      type: "added",
      ...this.#eventPlace(),
      tokens,
      source: record.source,
      mod,
      isEos: record.isEos,
      text,
      hidden,
    }));
  }

  #backtracked(record: BacktrackedRecord, place: number): PastEvent {
    const { state } = this;
    if (state.output.hiddenBy !== null) this.#hidingMod = record.mod;
    const group = state.output.remove(record.removed.length);
    state.activations?.text.truncate(state.output.sequence.length);
    if (state.logits.knownChoice && state.logits.knownChoice.step > state.output.length)
      state.logits.knownChoice = null;
    const removed = group.map(({ token }) => token);
    const mod = this.#nameOf(record.mod) ?? "";
    const text = addedText(group);
    const hidden = group.every(({ isHidden }) => isHidden);
    return this.#eventOf("backtracked", place, () => ({
      type: "backtracked",
      ...this.#eventPlace(),
      removed,
      mod,
      text,
      hidden,
    }));
  }
}

/**
 * Notes that the next token heals the end of a text; null ends this. Removes the end of a prompt; the end of a text in the output
 * has been removed by its `backtracked` record.
 */
export function beginHealing(state: DecodeState, healed: TraceHealed | null): void {
  if (healed?.inPrompt) state.output.healPrompt(healed.tokens, healed.text);
  state.healed = healed;
}

/** The recorded calls of mods about the event whose record is at `place`. Calls about the prompt come before its record. */
function callsOf(records: readonly TraceRecord[], place: number, type: TraceEventType): ModCallRecord[] {
  const calls: ModCallRecord[] = [];
  const step = type === "prefilled" ? -1 : 1;
  for (let next = place + step; next > 0 && next < records.length; next += step) {
    const record = records[next] as TraceRecord;
    if (record.type === "modCall" && record.event === type) calls.push(record);
    else if (record.type !== "scored" && record.type !== "adjusted") break;
  }
  return step < 0 ? calls.reverse() : calls;
}

/**
 * Index of the first record that a pass or a drawn token caused; -1 if there is none. A hostile trace may have many draws in
 * a row, so the search ends at the next draw.
 */
export function placeOfStepResult(records: readonly TraceRecord[], place: number): number {
  for (let next = place + 1; next < records.length; next += 1) {
    const { type } = records[next] as TraceRecord;
    if (type === "added" || type === "forwardPass" || type === "sampled") return next;
  }
  return -1;
}

function ids(tokens: readonly { readonly token: TokenId }[]): TokenId[] {
  return tokens.map(({ token }) => token);
}
