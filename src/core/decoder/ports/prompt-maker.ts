/** The port between the decode loop and the model's chat template. */
import type { MessageSpan } from "../../sdk/event.ts";
import type { Message, TokenId } from "../../sdk/request.ts";

export interface PromptMaker {
  /** The prompt of these messages, with the request's tools and settings. Rejects when the chat template refuses them. */
  render(messages: readonly Message[]): Promise<readonly TokenId[]>;
  /** The range of each message's text in the tokens of the prompt. */
  spans(messages: readonly Message[], tokens: readonly TokenId[]): readonly (MessageSpan | null)[];
}
