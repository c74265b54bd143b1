/** OpenAI's responses, over any function that starts requests. A store holds the latest responses. */

import { messageOf } from "../../../core/base/message-of.ts";
import type { CompletionEndpoint } from "../completion-call.ts";
import { createCompletions } from "../completions.ts";
import type { StartRequest } from "../start-request.ts";
import type { ResponseStreamEvent } from "./event-types.ts";
import { type ResponsePlan, readResponseRequest } from "./read-request.ts";
import { collectResponse } from "./response-answer.ts";
import { responseEvents } from "./response-events.ts";
import { withResponseFieldNames } from "./response-fields.ts";
import { type ResponseSaveOptions, ResponseStore } from "./response-store.ts";
import type { ModelResponse } from "./response-types.ts";
import type { Responses } from "./responses-api.ts";

export function createResponses(start: StartRequest, saved: ResponseSaveOptions): Responses {
  const store = new ResponseStore(saved.store);
  return {
    ...createCompletions(withFields(start), responseCall(store, saved.onNotice)),
    retrieve: (id) => store.get(id),
    async delete(id) {
      await store.delete(id);
      return { id, object: "response", deleted: true };
    },
    inputItems: { list: (id, query = {}) => store.inputItems(id, { ...query }) },
  };
}

/** Starts requests like `start`, but errors name the fields of a response request. */
function withFields(start: StartRequest): StartRequest {
  return (plan) =>
    start(plan).catch((error: unknown) => {
      throw withResponseFieldNames(error);
    });
}

function responseCall(
  store: ResponseStore,
  onNotice: (notice: string) => void,
): CompletionEndpoint<ResponsePlan, ModelResponse, ResponseStreamEvent> {
  /** If the response cannot be saved, the answer still succeeds. */
  const save = async (plan: ResponsePlan, response: ModelResponse): Promise<void> => {
    if (!plan.asked.store) return;
    await store
      .add(response, plan.input)
      .catch((error: unknown) => onNotice(`The response ${response.id} was not saved. ${messageOf(error)}`));
  };
  return {
    read: async (request) => readResponseRequest(request, await store.earlierOf(request)),
    async answer(plan, choices) {
      try {
        const response = await collectResponse(plan, choices);
        await save(plan, response);
        return response;
      } catch (error) {
        throw withResponseFieldNames(error);
      }
    },
    async *chunks(plan, choices) {
      for await (const event of responseEvents(plan, choices)) {
        // The response is saved before its last event is sent, so that a client that gets this event can refer to the
        // response.
        if (event.type === "response.completed" || event.type === "response.incomplete") {
          await save(plan, event.response);
        }
        yield event;
      }
    },
  };
}
