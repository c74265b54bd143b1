/** A handler's notes about an answer, for request logs and limits. They contain no text of prompts or answers. */
export interface AnswerNotes {
  /** The pattern of the route, for example `/v1/models/*`; absent if there is no such route. */
  route?: string;
  /** The model string that the client sent. */
  model?: string;
  /** Ids of the engine's requests, one for each choice. */
  requestIds?: readonly string[];
  /** Tokens that an unstreamed answer says it took. */
  usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
  /** The code of the error that was answered, also inside a stream. */
  error?: string;
}
