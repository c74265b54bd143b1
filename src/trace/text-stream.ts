/**
 * The answer's text as it grows, from the records of a request, for whoever cannot be told afterwards that a text was taken
 * back. Nothing is sent that may still change: tokens that a mod may remove (`holdback`), tokens that are hidden, the
 * beginning of a stop text, and what may turn out to be a tool call. The bytes of an unfinished character are in no record's
 * text before the token that completes it.
 *
 * All that was sent, what was taken back aside, is in the end the text of the `finished` record; beside tool calls, whose
 * record has no text, it is what was said before them.
 */
import { recogniseCopies } from "../base/recognise-copies.ts";
import type { AddedRecord, FinishedRecord, TraceDistribution, TraceRecord } from "./format.ts";
import type { RequestRecord, TraceReasoning } from "./format-request.ts";
import { splitReasoning } from "./reasoning.ts";
import type { StreamedToken, TextStreamEvent, TextStreamOptions } from "./text-stream-events.ts";
import { callsMayBegin, sharedStop, sharedTextLength } from "./text-stream-holds.ts";

/** Text that was sent is no longer that of the request, and nobody said that retractions are understood. */
export class TextTakenBackError extends Error {
  static {
    recogniseCopies(TextTakenBackError, "TextTakenBackError");
  }
  override readonly name = "TextTakenBackError";
}

/** A token that stands in the output. */
interface Emitted {
  readonly token: StreamedToken;
  /** UTF-16 length of the output's text with it. */
  readonly end: number;
  readonly isHidden: boolean;
  readonly isEos: boolean;
}

export class TextStream {
  readonly #options: TextStreamOptions;
  #stop: readonly string[] = [];
  #mayCall = false;
  #reasoning: TraceReasoning | null = null;
  /** The output as it stands. */
  #emitted: Emitted[] = [];
  #text = "";
  /** What the receiver has. */
  #sent = "";
  /** Tokens of the output that were sent with their text. They are the first ones. */
  #sentTokens = 0;
  /** What the next token is drawn from, as the mods leave it. */
  #distribution: TraceDistribution | null = null;
  #sampled: Pick<StreamedToken, "logprob" | "distribution"> = unknownOdds;
  /** The request has ended, and its text is not `#text` any more: where a stop text cut it. */
  #isOver = false;

  constructor(options: TextStreamOptions) {
    this.#options = options;
  }

  /** @throws TextTakenBackError */
  push(record: TraceRecord): readonly TextStreamEvent[] {
    switch (record.type) {
      case "request":
        this.#begin(record);
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
        // What is put in their place may be the same text: nothing is taken back before it is known.
        this.#remove(record.removed.length);
        return [];
      case "finished":
        return [...this.#end(record), { type: "finished", record }];
      default:
        return [];
    }
  }

  #begin({ stop, tools, toolChoice, reasoning }: RequestRecord): void {
    this.#reasoning = reasoning ?? null;
    this.#stop = stop;
    this.#mayCall = tools.length > 0 && toolChoice !== "none";
  }

  #add({ tokens, index, source, mod, isEos, hidden }: AddedRecord): void {
    for (const [place, { token, text }] of tokens.entries()) {
      const isEnd = isEos && place === tokens.length - 1;
      // The text of an end of sequence is in no answer.
      if (!isEnd) this.#text += text;
      const odds = source === "sampled" ? this.#sampled : unknownOdds;
      this.#emitted.push({
        token: { token, text: isEnd ? "" : text, index: index + place, source, mod, ...odds },
        end: this.#text.length,
        isHidden: hidden,
        isEos: isEnd,
      });
    }
    this.#sampled = unknownOdds;
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
      const odds = { logprob, distribution: distributions[place] ?? null };
      this.#emitted[at] = { ...emitted, token: { ...emitted.token, ...odds } };
    }
  }

  /** Sends what is certain by now. */
  #send(): readonly TextStreamEvent[] {
    const text = this.#text.slice(0, this.#certainLength());
    return text.length > this.#sent.length || !this.#sent.startsWith(text) ? this.#sendAs(text) : [];
  }

  /** UTF-16 length of the text that nothing may change any more. */
  #certainLength(): number {
    const { holdback, retract, logprobs } = this.#options;
    const back = retract ? 0 : holdback === "all" ? this.#emitted.length : holdback;
    let count = this.#emitted.length;
    // Hidden tokens are always the last ones, and none of those that are held back for what may be taken back.
    while (this.#emitted[count - 1]?.isHidden) count -= 1;
    count = Math.max(0, count - back);
    for (let place = this.#sentTokens; logprobs && place < count; place++) {
      const { token, isEos } = this.#emitted[place] as Emitted;
      if (token.logprob === null && !isEos) count = place;
    }
    const length = this.#emitted[count - 1]?.end ?? 0;
    const text = this.#text.slice(0, length);
    const uncut = Math.min(length, sharedStop(text, this.#stop));
    if (!this.#mayCall) return uncut;
    // What the model thinks of calls is none.
    const { answer, answerStart } = splitReasoning(text, this.#reasoning);
    return Math.min(uncut, answerStart + callsMayBegin(answer));
  }

  #end(record: FinishedRecord): readonly TextStreamEvent[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    // The model's own calls come after what was sent. Where no tools were offered, a mod made the calls in place of the text.
    if (record.toolCalls.length > 0 && this.#mayCall) return [];
    return this.#sendAs(record.text);
  }

  /** Makes what the receiver has into `text`. @throws TextTakenBackError */
  #sendAs(text: string): readonly TextStreamEvent[] {
    const events: TextStreamEvent[] = [];
    if (!text.startsWith(this.#sent)) {
      const kept = sharedTextLength(this.#sent, text);
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
      // Of a token that a stop text cuts, the part before it was sent.
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

const unknownOdds = { logprob: null, distribution: null } as const;

function takenBack(text: string): TextTakenBackError {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  return new TextTakenBackError(
    `A mod took back ${shown}, which the stream had already sent. Set midtoken.holdback to as many tokens as the mod may take back, or to "all", or set midtoken.retract to true and handle what is taken back.`,
  );
}
