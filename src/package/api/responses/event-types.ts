/** The events of a streamed response, as OpenAI's API reference has them. Types only. */
import type {
  ModelResponse,
  ResponseLogprob,
  ResponseOutputItem,
  ResponseOutputText,
} from "./response-types.ts";

interface InItem {
  readonly item_id: string;
  readonly output_index: number;
}
interface InPart extends InItem {
  readonly content_index: number;
}
type ContentPart = ResponseOutputText | { readonly type: "reasoning_text"; readonly text: string };

/** An event of a stream, without its sequence number. */
export type ResponseEventBody =
  | {
      readonly type:
        | "response.created"
        | "response.in_progress"
        | "response.completed"
        | "response.incomplete"
        | "response.failed";
      readonly response: ModelResponse;
    }
  | {
      readonly type: "response.output_item.added" | "response.output_item.done";
      readonly output_index: number;
      readonly item: ResponseOutputItem;
    }
  | (InPart & {
      readonly type: "response.content_part.added" | "response.content_part.done";
      readonly part: ContentPart;
    })
  | (InPart & {
      readonly type: "response.output_text.delta";
      readonly delta: string;
      readonly logprobs: ResponseLogprob[];
      /** `retract`: the number of UTF-16 units to remove from the end of the text so far. Sent only if the request asked for it. */
      readonly midtoken?: { readonly retract: number };
    })
  | (InPart & {
      readonly type: "response.output_text.done";
      readonly text: string;
      readonly logprobs: ResponseLogprob[];
    })
  | (InPart & {
      readonly type: "response.reasoning_text.delta";
      readonly delta: string;
      readonly midtoken?: { readonly retract: number };
    })
  | (InPart & { readonly type: "response.reasoning_text.done"; readonly text: string })
  | (InItem & { readonly type: "response.function_call_arguments.delta"; readonly delta: string })
  | (InItem & {
      readonly type: "response.function_call_arguments.done";
      readonly name: string;
      readonly arguments: string;
    });

/** `sequence_number` counts from 0. */
export type ResponseStreamEvent = ResponseEventBody & { readonly sequence_number: number };
