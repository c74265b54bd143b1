/** Creates the items of a streamed response, and the events that report their growth. */
import type { ToolCall } from "../../../core/sdk/request.ts";
import type { AnswerStreamEvent, StreamedToken } from "../../../core/trace/text/text-stream-events.ts";
import type { ResponseEventBody } from "./event-types.ts";
import {
  callItem,
  hasMessage,
  messageItem,
  type OutputItemSettings,
  outputItems,
  reasoningItem,
  responseLogprobs,
  textPart,
  withLastStatus,
} from "./response-output.ts";
import type { ResponseItemStatus, ResponseOutputItem } from "./response-types.ts";

export class ResponseEventBuilder {
  readonly #names: OutputItemSettings;
  #reasoning: string | null = null;
  #text = "";
  #tokens: StreamedToken[] = [];
  #calls: ToolCall[] = [];
  /** The kinds of items that have begun, in order. */
  readonly #begun: ("reasoning" | "message" | "call")[] = [];
  /** Whether the last item is still open. */
  #isOpen = false;

  constructor(names: OutputItemSettings) {
    this.#names = names;
  }

  push(event: AnswerStreamEvent): readonly ResponseEventBody[] {
    switch (event.type) {
      case "reasoning": {
        const first = this.#reasoning === null;
        this.#reasoning = (this.#reasoning ?? "") + event.text;
        return [...(first ? this.#beginReasoning() : []), this.#reasoningDelta(event.text)];
      }
      case "retractReasoning":
        this.#reasoning = cut(this.#reasoning ?? "", event.length);
        return [this.#reasoningDelta("", event.length)];
      case "text": {
        this.#text += event.text;
        this.#tokens.push(...event.tokens);
        // White space before function calls does not become a message.
        if (!this.#hasBegun("message")) return this.#text.trim() === "" ? [] : this.#beginMessage(true);
        if (event.text === "" && this.#names.topLogprobs === null) return [];
        return [this.#textDelta(event.text, event.tokens)];
      }
      case "retract":
        this.#text = cut(this.#text, event.length);
        return this.#hasBegun("message") ? [this.#textDelta("", [], event.length)] : [];
      case "call": {
        const { place, id, name } = event;
        return this.#beginCall(place, { id, type: "function", function: { name, arguments: "" } });
      }
      case "callArguments":
        return this.#callDelta(event.place, event.text);
      case "finished":
        return [];
    }
  }

  /** The events after the last piece of the answer, which end the last item. */
  *end(status: ResponseItemStatus): Generator<ResponseEventBody, void, undefined> {
    const parts = { reasoning: this.#reasoning, text: this.#text, calls: this.#calls };
    if (!this.#hasBegun("message") && hasMessage(parts, status)) {
      yield* this.#beginMessage(this.#text !== "" || this.#tokens.length > 0);
    }
    yield* this.#close(status);
  }

  items(status: ResponseItemStatus): ResponseOutputItem[] {
    const parts = { reasoning: this.#reasoning, text: this.#text, tokens: this.#tokens, calls: this.#calls };
    return outputItems(parts, this.#names, status);
  }

  /** The items of a response that ended early. */
  begunItems(): ResponseOutputItem[] {
    const kinds = { reasoning: "reasoning", message: "message", function_call: "call" } as const;
    const begun = this.items("completed").filter(({ type }) => this.#begun.includes(kinds[type]));
    return withLastStatus(begun, "incomplete");
  }

  #hasBegun(kind: "reasoning" | "message"): boolean {
    return this.#begun.includes(kind);
  }

  #begin(kind: "reasoning" | "message" | "call"): number {
    this.#isOpen = true;
    return this.#begun.push(kind) - 1;
  }

  #beginReasoning(): readonly ResponseEventBody[] {
    const before = [...this.#close("completed")];
    const output_index = this.#begin("reasoning");
    const item = reasoningItem(this.#names, null, "in_progress");
    const part = { type: "reasoning_text", text: "" } as const;
    return [
      ...before,
      { type: "response.output_item.added", output_index, item },
      { type: "response.content_part.added", ...this.#place("reasoning", item.id), part },
    ];
  }

  /** @param hasText whether the item already contains the text so far */
  #beginMessage(hasText: boolean): readonly ResponseEventBody[] {
    const before = [...this.#close("completed")];
    const output_index = this.#begin("message");
    const item = messageItem(this.#names, null, "in_progress");
    const part = textPart(this.#names, { text: "", tokens: [] });
    return [
      ...before,
      { type: "response.output_item.added", output_index, item },
      { type: "response.content_part.added", ...this.#place("message", item.id), part },
      ...(hasText ? [this.#textDelta(this.#text, this.#tokens)] : []),
    ];
  }

  #beginCall(place: number, call: ToolCall): readonly ResponseEventBody[] {
    const before = [...this.#close("completed")];
    const output_index = this.#begin("call");
    this.#calls[place] = call;
    const item = callItem(this.#names, place, call, "in_progress");
    return [...before, { type: "response.output_item.added", output_index, item }];
  }

  #callDelta(place: number, delta: string): readonly ResponseEventBody[] {
    const call = this.#calls[place];
    if (!call) return [];
    const { name, arguments: before } = call.function;
    const grown = { ...call, function: { name, arguments: before + delta } };
    this.#calls[place] = grown;
    const { id: item_id } = callItem(this.#names, place, grown, "in_progress");
    const output_index = this.#begun.length - 1;
    return [{ type: "response.function_call_arguments.delta", item_id, output_index, delta }];
  }

  #place(kind: "reasoning" | "message", item_id: string) {
    return { item_id, output_index: this.#begun.indexOf(kind), content_index: 0 };
  }

  #textDelta(delta: string, tokens: readonly StreamedToken[], retract?: number): ResponseEventBody {
    return {
      type: "response.output_text.delta",
      ...this.#place("message", `msg_${this.#names.key}`),
      delta,
      logprobs: responseLogprobs(tokens, this.#names),
      ...(retract !== undefined && { midtoken: { retract } }),
    };
  }

  #reasoningDelta(delta: string, retract?: number): ResponseEventBody {
    return {
      type: "response.reasoning_text.delta",
      ...this.#place("reasoning", `rs_${this.#names.key}`),
      delta,
      ...(retract !== undefined && { midtoken: { retract } }),
    };
  }

  /** Ends the open item. */
  *#close(status: ResponseItemStatus): Generator<ResponseEventBody, void, undefined> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const output_index = this.#begun.length - 1;
    const kind = this.#begun[output_index];
    if (kind === "reasoning") {
      const text = this.#reasoning ?? "";
      const item = reasoningItem(this.#names, text, status);
      const at = this.#place(kind, item.id);
      yield { type: "response.reasoning_text.done", ...at, text };
      yield { type: "response.content_part.done", ...at, part: { type: "reasoning_text", text } };
      yield { type: "response.output_item.done", output_index, item };
    }
    if (kind === "message") {
      const parts = { text: this.#text, tokens: this.#tokens };
      const item = messageItem(this.#names, parts, status);
      const at = this.#place(kind, item.id);
      const logprobs = responseLogprobs(this.#tokens, this.#names);
      yield { type: "response.output_text.done", ...at, text: this.#text, logprobs };
      yield { type: "response.content_part.done", ...at, part: textPart(this.#names, parts) };
      yield { type: "response.output_item.done", output_index, item };
    }
    if (kind === "call") {
      const place = output_index - this.#begun.indexOf("call");
      const call = this.#calls[place];
      if (!call) return;
      const item = callItem(this.#names, place, call, status);
      const { name, arguments: text } = call.function;
      const at = { item_id: item.id, output_index };
      yield { type: "response.function_call_arguments.done", ...at, name, arguments: text };
      yield { type: "response.output_item.done", output_index, item };
    }
  }
}

const cut = (text: string, length: number): string => text.slice(0, text.length - length);
