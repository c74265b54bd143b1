/** Reads the events of a llama.cpp stream. */
import { isRecord } from "../../core/base/record.ts";
import { dataText, type EventData } from "./event-stream.ts";
import { cutList } from "./listed-entries.ts";
import {
  type ExpectedStepShape,
  hasNoProbabilities,
  parsePredictedTokenCount,
  parseStep,
  parseStreamLength,
  parseTokensToCompute,
} from "./parse-responses.ts";
import { parseStreamEvent, type StreamEvent, type StreamReader, type StreamSender } from "./step-stream.ts";

interface LlamaStreamOptions extends ExpectedStepShape {
  /** Address for messages. */
  readonly origin: string;
  /** Called once, with the tokens of the text that the server computed. */
  readonly onComputed: (tokens: number) => void;
}

/** The field of the last event; within a string its quotes would be escaped. */
const endField = /"stop_type"\s*:/;

export class LlamaStreamReader implements StreamReader {
  readonly #options: LlamaStreamOptions;
  readonly #sender: StreamSender;
  #steps = 0;
  #hasComputed = false;

  constructor(options: LlamaStreamOptions) {
    this.#options = options;
    this.#sender = { origin: options.origin, program: "llama.cpp" };
  }

  read(data: EventData): StreamEvent {
    const { onComputed } = this.#options;
    const cut = cutList(data, this.#options);
    const event = parseStreamEvent(cut?.rest ?? data, this.#sender);
    const computed = parseTokensToCompute(event);
    if (computed !== null) {
      if (!this.#hasComputed) onComputed(computed);
      this.#hasComputed = true;
      return { steps: [] };
    }
    // A server leaves out tokens that are parts of a character, until the character is whole.
    if (isRecord(event) && event.stop_type !== undefined) {
      const isShort = (parseStreamLength(event) ?? this.#steps) > this.#steps;
      return { steps: [], end: isShort ? "skipped" : "over" };
    }
    const isGap = parsePredictedTokenCount(event) !== this.#steps + 1;
    if (isGap || hasNoProbabilities(event)) return { steps: [], end: "skipped" };
    this.#steps += 1;
    return { steps: [parseStep(event, this.#options, cut?.list)] };
  }

  isEnd(data: EventData): boolean {
    return endField.test(dataText(data));
  }
}
