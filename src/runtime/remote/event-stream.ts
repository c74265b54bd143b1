/** Server-sent events: pieces of text become the data of events. */

export class EventStream {
  readonly #onEvent: (data: string) => void;
  /** The end of the text so far, which is not a whole line. */
  #open = "";
  #data: string[] = [];

  constructor(onEvent: (data: string) => void) {
    this.#onEvent = onEvent;
  }

  /** The piece may begin and end anywhere. */
  push(piece: string): void {
    // A long line is put together once, at its end: its pieces may be single characters.
    if (!piece.includes("\n")) {
      this.#open += piece;
      return;
    }
    const lines = (this.#open + piece).split("\n");
    this.#open = lines.pop() ?? "";
    for (const line of lines) this.#line(line.endsWith("\r") ? line.slice(0, -1) : line);
  }

  #line(line: string): void {
    if (line === "") {
      if (this.#data.length > 0) this.#onEvent(this.#data.join("\n"));
      this.#data = [];
      return;
    }
    // Lines without "data:" are comments that keep the connection open, and fields that nobody reads. Some versions of llama.cpp
    // write "error:" in place of "data:".
    const found = /^(?:data|error): ?(.*)$/s.exec(line);
    if (found) this.#data.push(found[1] as string);
  }
}
