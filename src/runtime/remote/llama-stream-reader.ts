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
  type ServerStep,
} from "./parse-responses.ts";
import { parseStreamEvent, type StreamEvent, type StreamReader, type StreamSender } from "./step-stream.ts";
import { readUsualStep } from "./usual-step.ts";

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
    const usual = readUsualStep(data, this.#options);
    if (usual) return this.#eventOf(usual.predicted, usual.step);
    const { onComputed } = this.#options;
    const cut = cutList(data, this.#options);
    const event = parseStreamEvent(cut?.rest ?? data, this.#sender);
    const computed = parseTokensToCompute(event);
    if (computed !== null) {
      if (!this.#hasComputed) onComputed(computed);
      this.#hasComputed = true;
      return { steps: [] };
    }
    if (isRecord(event) && event.stop_type !== undefined) {
      const isShort = (parseStreamLength(event) ?? this.#steps) > this.#steps;
      return { steps: [], end: isShort ? "skipped" : "over" };
    }
    const predicted = parsePredictedTokenCount(event);
    if (hasNoProbabilities(event)) return { steps: [], end: "skipped" };
    return this.#eventOf(predicted, parseStep(event, this.#options, cut?.list));
  }

  /** A server leaves out tokens that are parts of a character, until the character is whole. @param predicted tokens that the stream has made so far */
  #eventOf(predicted: number, step: ServerStep): StreamEvent {
    if (predicted !== this.#steps + 1) return { steps: [], end: "skipped" };
    this.#steps += 1;
    return { steps: [step] };
  }

  isEnd(data: EventData): boolean {
    return endField.test(dataText(data));
  }
}
