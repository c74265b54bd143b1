/**
 * Splits the text of a request into two streams: reasoning and answer. If the model does not think, all text is the answer.
 * Text is sent only once it is certain to which stream the text belongs.
 */
import type { TraceRecord } from "../format/format.ts";
import type { TraceReasoning } from "../format/format-request.ts";
import { certainAnswerLength, mayBeginReasoning, splitReasoning, withoutBegunMark } from "./reasoning.ts";
import { TextStream } from "./text-stream.ts";
import type {
  AnswerStreamEvent,
  StreamedToken,
  TextStreamEvent,
  TextStreamOptions,
} from "./text-stream-events.ts";
import { commonTextLength } from "./text-stream-holds.ts";

export class ReasoningStream {
  readonly #stream: TextStream;
  #marks: TraceReasoning | null = null;
  /** All text that was sent, marks included. */
  #text = "";
  #reasoning = "";
  #answer = "";
  /**
   * Streamed tokens whose text has not been assigned to reasoning or answer yet. `end`: UTF-16 length of the text after the
   * token.
   */
  #waiting: { readonly token: StreamedToken; readonly end: number }[] = [];
  /** UTF-16 length of the text after each streamed token. */
  #ends: number[] = [];

  constructor(options: TextStreamOptions) {
    this.#stream = new TextStream(options);
  }

  /** @throws TextTakenBackError */
  push(record: TraceRecord): readonly AnswerStreamEvent[] {
    if (record.type === "request") this.#marks = record.reasoning ?? null;
    const marks = this.#marks;
    const events = this.#stream.push(record);
    return marks ? events.flatMap((event) => this.#split(event, marks)) : events;
  }

  #split(event: TextStreamEvent, marks: TraceReasoning): readonly AnswerStreamEvent[] {
    // Calls come after all text.
    if (event.type === "call") return [...this.#send(marks, true), event];
    if (event.type === "finished") {
      const reasoningTokens = this.#reasoningTokens(marks);
      return [...this.#send(marks, true), { ...event, ...(reasoningTokens > 0 && { reasoningTokens }) }];
    }
    if (event.type === "callArguments") return [event];
    if (event.type === "text") this.#add(event.text, event.tokens);
    else {
      this.#text = this.#text.slice(0, this.#text.length - event.length);
      this.#waiting = this.#waiting.filter(({ end }) => end <= this.#text.length);
      this.#ends = this.#ends.filter((end) => end <= this.#text.length);
    }
    return this.#send(marks, false);
  }

  #add(text: string, tokens: readonly StreamedToken[]): void {
    let end = this.#text.length;
    this.#text += text;
    for (const token of tokens) {
      end = Math.min(this.#text.length, end + token.text.length);
      this.#waiting.push({ token, end });
      this.#ends.push(end);
    }
  }

  /** Number of tokens that begin before the answer. */
  #reasoningTokens(marks: TraceReasoning): number {
    const { reasoning, answerStart } = splitReasoning(this.#text, marks);
    if (reasoning === null) return 0;
    return this.#ends.filter((_, place) => (this.#ends[place - 1] ?? 0) < answerStart).length;
  }

  #send(marks: TraceReasoning, isLast: boolean): readonly AnswerStreamEvent[] {
    if (!isLast && mayBeginReasoning(this.#text, marks)) return [];
    const parts = splitReasoning(this.#text, marks);
    const { reasoning, answerStart, isOpen } = parts;
    const certain = isOpen && !isLast ? withoutBegunMark(reasoning ?? "", marks.close) : (reasoning ?? "");
    const events: AnswerStreamEvent[] = [];
    const thought = change(this.#reasoning, certain);
    if (thought.taken > 0) events.push({ type: "retractReasoning", length: thought.taken });
    if (thought.added !== "") events.push({ type: "reasoning", text: thought.added });
    const answer = isLast
      ? parts.answer
      : parts.answer.slice(0, certainAnswerLength(this.#text, parts, marks));
    const said = change(this.#answer, answer);
    if (said.taken > 0) events.push({ type: "retract", length: said.taken });
    const tokens = isOpen ? [] : this.#tokensOfAnswer(answerStart, answerStart + answer.length, isLast);
    if (isOpen) this.#waiting = [];
    if (said.added !== "" || tokens.length > 0) events.push({ type: "text", text: said.added, tokens });
    this.#reasoning = certain;
    this.#answer = answer;
    return events;
  }

  /**
   * The tokens of the answer that were not sent yet; tokens of the reasoning are dropped. Tokens of held-back text wait. At the
   * end of the answer, a token counts if any of its text belongs to the answer.
   */
  #tokensOfAnswer(start: number, answerEnd: number, isLast: boolean): readonly StreamedToken[] {
    const after = this.#waiting.filter(({ end }) => end > start);
    const isSent = ({ token, end }: (typeof after)[number]) =>
      end <= answerEnd || (isLast && end - token.text.length < answerEnd);
    this.#waiting = isLast ? [] : after.filter((each) => !isSent(each));
    return after.filter(isSent).map(({ token }) => token);
  }
}

function change(before: string, after: string): { readonly taken: number; readonly added: string } {
  const shared = commonTextLength(before, after);
  return { taken: before.length - shared, added: after.slice(shared) };
}
