/** Streams the tool calls of an answer: each call's id and name, then its arguments in fragments. */
import type {
  AnswerCalls,
  AnswerTextAndCalls,
  MarkedText,
  StreamedCall,
  TextStreamEvent,
  ToolCallReader,
} from "./text-stream-events.ts";
import { toolCallId } from "./tool-call-id.ts";

export class ToolCallStream implements AnswerCalls {
  seed = 0;
  prompt: readonly number[] = [];
  readonly #reader: ToolCallReader;
  #sent: readonly StreamedCall[] = [];

  constructor(reader: ToolCallReader) {
    this.#reader = reader;
  }

  marker(token: number): string | undefined {
    return this.#reader.markers[token];
  }

  read({ text, markers }: MarkedText, isOver: boolean): AnswerTextAndCalls {
    const { textLength, calls, isOpen } = this.#reader.read(text, isOver);
    const unseen = markers.filter(({ at, length }) => at + length <= textLength);
    const list = calls?.map(({ name, arguments: written }, place) => ({
      id: toolCallId(this.seed, this.prompt, place),
      name,
      arguments: written,
    }));
    const cutPlace = calls?.at(-1)?.isWhole === false ? calls.length - 1 : (calls?.length ?? 0);
    return {
      textLength: unseen.reduce((length, marker) => length - marker.length, textLength),
      calls: list ? { list, cut: isOpen ? cutPlace : null } : null,
    };
  }

  send(calls: readonly StreamedCall[], isOver: boolean): readonly TextStreamEvent[] | null {
    if (!isOver && goOnWith(calls, this.#sent)) return [];
    if (!goOnWith(this.#sent, calls)) return null;
    const events = calls.flatMap(({ id, name, arguments: written }, place): TextStreamEvent[] => {
      const sent = this.#sent[place];
      const text = written.slice(sent?.arguments.length ?? 0);
      return [
        ...(sent ? [] : [{ type: "call", place, id, name } as const]),
        ...(text === "" ? [] : [{ type: "callArguments", place, text } as const]),
      ];
    });
    this.#sent = calls;
    return events;
  }
}

/** Whether `shorter` is the beginning of `longer`. */
function goOnWith(shorter: readonly StreamedCall[], longer: readonly StreamedCall[]): boolean {
  return shorter.every(({ id, name, arguments: written }, place) => {
    const same = longer[place];
    return same?.id === id && same.name === name && same.arguments.startsWith(written);
  });
}
