/** Server-sent events: pieces of text become the data of events. */

/**
 * The data of an event: the characters `from` to `to` of a text. A slice in their place would be slower to read, because V8 looks up
 * the whole text at each character of a slice.
 */
export interface EventData {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** The data as a text of its own. */
export const dataText = ({ text, from, to }: EventData): string => text.slice(from, to);

/**
 * The names of fields with data. Some versions of llama.cpp write "error:" in place of "data:". Other lines are comments that keep the
 * connection open, and fields that nobody reads.
 */
const dataFields = ["data:", "error:"];

export class EventStream {
  readonly #onEvent: (data: EventData) => void;
  /** The end of the text so far, which is not a whole line. */
  #open = "";
  /** The data of the open event, a part for each line. */
  #data: EventData[] = [];

  constructor(onEvent: (data: EventData) => void) {
    this.#onEvent = onEvent;
  }

  /** The piece may begin and end anywhere. */
  push(piece: string): void {
    // A long line is put together once, at its end: its pieces may be single characters.
    if (!piece.includes("\n")) {
      this.#open += piece;
      return;
    }
    const text = this.#open === "" ? piece : this.#open + piece;
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#line(text, from, text[end - 1] === "\r" ? end - 1 : end);
      from = end + 1;
    }
    this.#open = text.slice(from);
  }

  #line(text: string, from: number, to: number): void {
    if (from === to) {
      this.#endEvent();
      return;
    }
    const name = dataFields.find((each) => text.startsWith(each, from));
    if (name === undefined) return;
    const start = from + name.length;
    this.#data.push({ text, from: text[start] === " " ? start + 1 : start, to });
  }

  #endEvent(): void {
    const [first, ...others] = this.#data;
    this.#data = [];
    if (!first) return;
    if (others.length === 0) {
      this.#onEvent(first);
      return;
    }
    const text = [first, ...others].map(dataText).join("\n");
    this.#onEvent({ text, from: 0, to: text.length });
  }
}
