/** `engine.responses`, named as in OpenAI's client. Types only. */
import type { Completions } from "../completions-api.ts";
import type { ResponseStreamEvent } from "./event-types.ts";
import type { ResponseRequest } from "./request-types.ts";
import type { ModelResponse, ResponseDeleted, ResponseItemList } from "./response-types.ts";

export interface ResponseItemsQuery {
  /** Lists the items after the item with this id. */
  readonly after?: string;
  /** 1 to 100; 20 by default. */
  readonly limit?: number;
  /** "desc" by default: the newest item first. */
  readonly order?: "asc" | "desc";
}

export interface Responses extends Completions<ResponseRequest, ModelResponse, ResponseStreamEvent> {
  /** Rejects with an ApiError, 404, if the response is not stored. */
  retrieve(id: string): Promise<ModelResponse>;
  /** Rejects with an ApiError, 404, if the response is not stored. */
  delete(id: string): Promise<ResponseDeleted>;
  readonly inputItems: {
    /** The items in the `input` of the response's request. Rejects with an ApiError, 404, if the response is not stored. */
    list(id: string, query?: ResponseItemsQuery): Promise<ResponseItemList>;
  };
}
