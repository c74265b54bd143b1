/** `engine.responses`, named as in OpenAI's client. Types only. */
import type { Completions } from "../completions-api.ts";
import type { ResponseStreamEvent } from "./event-types.ts";
import type { ResponseRequest } from "./request-types.ts";
import type { ModelResponse, ResponseDeleted, ResponseItemList } from "./response-types.ts";

export interface ResponseItemsQuery {
  /** Id of the item after which the list begins. */
  readonly after?: string;
  /** 1 to 100; 20 unless given. */
  readonly limit?: number;
  /** "desc", the newest first, unless given. */
  readonly order?: "asc" | "desc";
}

export interface Responses extends Completions<ResponseRequest, ModelResponse, ResponseStreamEvent> {
  /** Rejects with an ApiError, 404, if the response is not stored. */
  retrieve(id: string): Promise<ModelResponse>;
  /** Rejects with an ApiError, 404, if the response is not stored. */
  delete(id: string): Promise<ResponseDeleted>;
  readonly inputItems: {
    /** The items of the request's own `input`. Rejects with an ApiError, 404, if the response is not stored. */
    list(id: string, query?: ResponseItemsQuery): Promise<ResponseItemList>;
  };
}
