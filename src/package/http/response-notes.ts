/** Notes about an answer for request logs and limits. They contain no text of prompts or answers. */
export interface ResponseLogNotes {
  /** The pattern of the route, for example `/v1/models/*`; absent if there is no such route. */
  route?: string;
  /** The model string that the client sent. */
  model?: string;
  /** Ids of the engine's requests, one for each choice. */
  requestIds?: readonly string[];
  /** Number of tokens that an answer, if it was not streamed, reports as its usage. */
  usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
  /** The code of the error that was sent, also of an error inside a stream. */
  error?: string;
  /** A message for the server's operator, which the client does not get. It contains ids and the place of the store. */
  notice?: string;
}
