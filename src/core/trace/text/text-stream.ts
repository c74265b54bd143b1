/**
 * Streams the answer's text and tool calls from the records of a request, for receivers that cannot take back text. Text is
 * sent only when it can no longer change. The stream holds back tokens that a mod may remove (`holdback`), hidden tokens, the
 * beginning of a stop sequence, and text that may become a tool call. No record has a part of a character: a character's text is
 * in the record of the token that completes the character. At the end, the sent text, less the text that was taken back, is
 * the text of the `finished` record. If the answer has tool calls, the sent text is the text before them, also if the answer
 * was cut inside a call: the record of a cut answer has the call as text.
 */
import { acceptInstancesOfCopies } from "../../base/recognise-copies.ts";
import type { AddedRecord, FinishedRecord, TraceDistribution, TraceRecord } from "../format/format.ts";
import type { RequestRecord, TraceReasoning } from "../format/format-request.ts";
import { type ReasoningAndAnswer, splitReasoning } from "./reasoning.ts";
import type {
  AnswerCalls,
  AnswerTextAndCalls,
  MarkedText,
  StreamedCalls,
  StreamedToken,
  TextStreamEvent,
  TextStreamOptions,
} from "./text-stream-events.ts";
import { commonTextLength, lengthBeforeStop, tokensToHoldBack } from "./text-stream-holds.ts";
import { createWholeToolCallStream, recordedToolCalls } from "./whole-calls.ts";

/** Thrown if sent text is no longer part of the request's text and the option `retract` is not set. */
export class TextTakenBackError extends Error {
  static {
    acceptInstancesOfCopies(TextTakenBackError, "TextTakenBackError");
  }
  override readonly name = "TextTakenBackError";
}

const optionNames: Readonly<Record<keyof TextStreamOptions, true>> = {
  holdback: true,
  mayTakeBack: true,
  retract: true,
  calls: true,
  logprobs: true,
};

/** Throws a TypeError for an option that does not exist. Without `known-keys.ts`, because apps load this file first. Each name has another first letter, so that letter finds it. */
function checkOptions(options: TextStreamOptions): void {
  const known = Object.keys(optionNames);
  for (const [name, value] of Object.entries(options)) {
    if (known.includes(name) || value === undefined) continue;
    const near = known.find((each) => each[0] === name[0]);
    const advice = near ? `Did you mean "${near}"?` : `The known names are ${known.join(", ")}.`;
    throw new TypeError(`TextStream: ${name} is not known. ${advice}`);
  }
}

/** A token in the output. */
interface Emitted {
  readonly token: StreamedToken;
  /** UTF-16 length of the output's text up to and including the token. */
  readonly end: number;
  readonly isHidden: boolean;
  readonly isEos: boolean;
}

export class TextStream {
  readonly #options: TextStreamOptions;
  #stop: readonly string[] = [];
  #holdback: number | "all" = "all";
  #mayCall = false;
  #reasoning: TraceReasoning | null = null;
  /** The tokens in the output. */
  #emitted: Emitted[] = [];
  #text = "";
  /** The text that the receiver has. */
  #sent = "";
  /** Number of tokens that were sent, counted from the output's beginning. */
  #sentTokens = 0;
  /** The distribution of the next token, after the mods' edits. */
  #distribution: TraceDistribution | null = null;
  #sampled: Pick<StreamedToken, "logprob" | "distribution"> = unknownProbabilities;
  readonly #calls: AnswerCalls;
  /** Number of tokens before the last text whose end token healing may still take back; null if there is no such text. */
  #openFrom: number | null = null;
  /** True once the request has ended. Its final text may be shorter than `#text`, because a stop sequence cut it. */
  #isOver = false;

  constructor(options: TextStreamOptions) {
    checkOptions(options);
    this.#options = options;
    this.#calls = options.calls ?? createWholeToolCallStream();
  }

  /** @throws TextTakenBackError */
  push(record: TraceRecord): readonly TextStreamEvent[] {
    switch (record.type) {
      case "request":
        this.#begin(record);
        return [];
      case "prefilled":
        this.#calls.prompt = record.tokens.map(({ token }) => token);
        return [];
      case "forwardPass":
        this.#distribution = record.before;
        return this.#send();
      case "adjusted":
        this.#distribution = record.after;
        return [];
      case "sampled":
        this.#sampled = { logprob: record.logprobAfter, distribution: this.#distribution };
        return [];
      case "added":
        this.#add(record);
        return this.#send();
      case "scored":
        this.#score(record.index, record.logprobs, record.distributions);
        return this.#send();
      case "backtracked":
        // The replacement may be the same text, so nothing is taken back before the replacement is known.
        this.#remove(record.removed.length);
        return [];
      case "finished":
        return this.#end(record);
      default:
        return [];
    }
  }

  #begin({ stop, tools, toolChoice, reasoning, seed, mods }: RequestRecord): void {
    const { holdback, mayTakeBack = [] } = this.#options;
    this.#holdback = holdback === "auto" ? tokensToHoldBack(mods, mayTakeBack) : holdback;
    this.#calls.seed = seed;
    this.#reasoning = reasoning ?? null;
    this.#stop = stop;
    this.#mayCall = tools.length > 0 && toolChoice !== "none";
  }

  #add({ tokens, index, source, mod, isEos, hidden, isOpen }: AddedRecord): void {
    this.#openFrom = isOpen ? this.#emitted.length : null;
    for (const [place, { token, text }] of tokens.entries()) {
      const isEnd = isEos && place === tokens.length - 1;
      // The text of an end-of-sequence token is not part of the answer.
      if (!isEnd) this.#text += text;
      const probabilities = source === "sampled" ? this.#sampled : unknownProbabilities;
      this.#emitted.push({
        token: { token, text: isEnd ? "" : text, index: index + place, source, mod, ...probabilities },
        end: this.#text.length,
        isHidden: hidden,
        isEos: isEnd,
      });
    }
    this.#sampled = unknownProbabilities;
  }

  #remove(count: number): void {
    this.#emitted.length -= count;
    this.#text = this.#text.slice(0, this.#emitted.at(-1)?.end ?? 0);
    this.#sentTokens = Math.min(this.#sentTokens, this.#emitted.length);
  }

  #score(index: number, logprobs: readonly number[], distributions: readonly TraceDistribution[]): void {
    for (const [place, logprob] of logprobs.entries()) {
      // Later tokens have greater indices, and most are scored soon after they were added.
      const at = this.#emitted.findLastIndex(({ token }) => token.index === index + place);
      const emitted = this.#emitted[at];
      if (!emitted) continue;
      const probabilities = { logprob, distribution: distributions[place] ?? null };
      this.#emitted[at] = { ...emitted, token: { ...emitted.token, ...probabilities } };
    }
  }

  /** Sends all text that can no longer change. */
  #send(): readonly TextStreamEvent[] {
    const { retract } = this.#options;
    const certain = this.#certainLength(!retract);
    const length = this.#mayCall ? this.#beforeCalls(certain) : certain;
    const text = this.#text.slice(0, length);
    const isNews = text.length > this.#sent.length || !this.#sent.startsWith(text);
    return [...(isNews ? this.#sendAs(text) : []), ...this.#sendCalls(certain)];
  }

  /** UTF-16 length of the text that nothing can change any more. @param isHeldBack false to ignore what mods may remove. */
  #certainLength(isHeldBack: boolean): number {
    const { logprobs } = this.#options;
    const asked = this.#holdback === "all" ? this.#emitted.length : this.#holdback;
    let count = this.#emitted.length;
    // Hidden tokens are always the last tokens, and are never among the held-back ones.
    while (this.#emitted[count - 1]?.isHidden) count -= 1;
    count = Math.max(0, count - (isHeldBack ? asked : 0));
    // Token healing may take back the end of this text, and a mod may then replace the token that was chosen for it.
    if (isHeldBack && this.#openFrom !== null) count = Math.min(count, this.#openFrom);
    for (let place = this.#sentTokens; logprobs && place < count; place++) {
      const { token, isEos } = this.#emitted[place] as Emitted;
      if (token.logprob === null && !isEos) count = place;
    }
    const length = this.#emitted[count - 1]?.end ?? 0;
    return Math.min(length, lengthBeforeStop(this.#text.slice(0, length), this.#stop));
  }

  /** UTF-16 length of the part of a final text that cannot become a tool call. */
  #beforeCalls(certain: number): number {
    const { answer, answerStart, textLength } = this.#readCalls(certain, false);
    return answerStart + Math.min(textLength, answer.length);
  }

  /** Reads the calls in the beginning of the output, up to `length`. Calls in the reasoning do not count. */
  #readCalls(
    length: number,
    isOver: boolean,
  ): AnswerTextAndCalls & Pick<ReasoningAndAnswer, "answer" | "answerStart"> {
    const { answer, answerStart } = splitReasoning(this.#text.slice(0, length), this.#reasoning);
    return { answer, answerStart, ...this.#calls.read(this.#marked(answerStart, length), isOver) };
  }

  #sendCalls(certain: number): readonly TextStreamEvent[] {
    if (!this.#mayCall) return [];
    // Calls cannot be taken back, even if the receiver understands retractions.
    const length = this.#options.retract ? Math.min(certain, this.#certainLength(true)) : certain;
    const { calls } = this.#readCalls(length, false);
    return calls ? this.#sendList(calls, false) : [];
  }

  /** @throws TextTakenBackError */
  #sendList({ list }: StreamedCalls, isOver: boolean): readonly TextStreamEvent[] {
    const events = this.#calls.send(list, isOver);
    if (!events) throw callTakenBack();
    return events;
  }

  /** The output's text from `start` to `end`, with the special tokens that mark calls. */
  #marked(start: number, end: number): MarkedText {
    const markers: { at: number; length: number }[] = [];
    let text = "";
    for (const { token, end: to } of this.#emitted) {
      const from = to - token.text.length;
      if (from > end) break;
      if (to < start) continue;
      const marker = token.text === "" ? this.#calls.marker(token.token) : undefined;
      if (marker !== undefined) markers.push({ at: text.length, length: marker.length });
      text += marker ?? this.#text.slice(Math.max(from, start), Math.min(to, end));
    }
    return { text, markers };
  }

  #end(record: FinishedRecord): readonly TextStreamEvent[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    const { text, calls } = this.#final(record);
    const events = text === null ? [] : this.#sendAs(text);
    const called = hasFailed(record) ? [] : this.#sendList(calls, true);
    return [...events, ...called, { type: "finished", record, calls }];
  }

  /** The final text and calls of the answer; a null text means the text that was sent so far. */
  #final(record: FinishedRecord): { readonly text: string | null; readonly calls: StreamedCalls } {
    const calls = recordedToolCalls(record);
    const asRecorded = { text: record.text, calls };
    // If the request has no tools, a mod made the calls in place of the text.
    if (!this.#mayCall) return asRecorded;
    // A client that learns of a failed request needs no more of its text.
    if (hasFailed(record)) return { text: null, calls };
    if (record.reason === "forced" || this.#endsByItself(record)) return asRecorded;
    const isCut = calls.list.length === 0;
    const read = this.#readCalls(isCut ? record.text.length : this.#text.length, true);
    const text = this.#text.slice(0, read.answerStart + read.textLength);
    if (isCut) return read.calls ? { text, calls: read.calls } : asRecorded;
    // If a mod made the calls, no sent text is taken back: the calls follow it.
    const isModels = read.calls?.list.length === calls.list.length;
    return { text: isModels ? text : null, calls };
  }

  /** True if the output ended with an end-of-sequence token and no stop sequence came before. */
  #endsByItself({ reason }: FinishedRecord): boolean {
    return reason === "stop" && this.#emitted.at(-1)?.isEos === true;
  }

  /** Sends the events that change the receiver's text into `text`. @throws TextTakenBackError */
  #sendAs(text: string): readonly TextStreamEvent[] {
    const events: TextStreamEvent[] = [];
    if (!text.startsWith(this.#sent)) {
      const kept = commonTextLength(this.#sent, text);
      const length = this.#sent.length - kept;
      if (!this.#options.retract) throw takenBack(this.#sent.slice(kept));
      events.push({ type: "retract", length });
      this.#sent = this.#sent.slice(0, kept);
      while (this.#sentTokens > 0 && (this.#emitted[this.#sentTokens - 1]?.end ?? 0) > kept)
        this.#sentTokens -= 1;
    }
    const added = text.slice(this.#sent.length);
    this.#sent = text;
    const tokens: StreamedToken[] = [];
    for (let next = this.#emitted[this.#sentTokens]; next && !next.isHidden; ) {
      // If a stop sequence cuts a token, the token counts as sent with its text before the cut.
      const begins = next.end - next.token.text.length < text.length;
      if (next.end > text.length && !(this.#isOver && begins)) break;
      if (!next.isEos) tokens.push(next.token);
      this.#sentTokens += 1;
      next = this.#emitted[this.#sentTokens];
    }
    if (added !== "" || tokens.length > 0) events.push({ type: "text", text: added, tokens });
    return events;
  }
}

const unknownProbabilities = { logprob: null, distribution: null } as const;

const hasFailed = ({ reason }: FinishedRecord) => reason === "error" || reason === "cancelled";

function takenBack(text: string): TextTakenBackError {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  return new TextTakenBackError(
    `A mod removed ${shown} after the stream had sent this text. Set midtoken.holdback to the number of tokens that the mod may remove, or to "all"; or set midtoken.retract to true and handle the removed text.`,
  );
}

function callTakenBack(): TextTakenBackError {
  return new TextTakenBackError(
    'A mod removed a tool call after the stream had sent part of the call. Set midtoken.holdback to "all": tool calls are then sent when the request has ended.',
  );
}
