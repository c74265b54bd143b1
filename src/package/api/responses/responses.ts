/** OpenAI's responses on any way to start a request, with the last ones kept in memory. */
import type { Call } from "../completion-call.ts";
import { createCalls } from "../completions.ts";
import type { StartRequest } from "../start-request.ts";
import type { ResponseStreamEvent } from "./event-types.ts";
import { type ResponsePlan, readResponseRequest } from "./read-request.ts";
import { wholeResponse } from "./response-answer.ts";
import { responseEvents } from "./response-events.ts";
import { withResponseFields } from "./response-fields.ts";
import { ResponseStore } from "./response-store.ts";
import type { ModelResponse } from "./response-types.ts";
import type { Responses } from "./responses-api.ts";

/** The most bytes of all stored responses of an engine, as JSON in memory. */
const mostBytes = 64 * 1_048_576;

/** @param keep so many responses are kept at most */
export function createResponses(start: StartRequest, keep: number): Responses {
  const store = new ResponseStore({ count: keep, bytes: mostBytes });
  return {
    ...createCalls(withFields(start), responseCall(store)),
    retrieve: async (id) => store.get(id),
    async delete(id) {
      store.delete(id);
      return { id, object: "response", deleted: true };
    },
    inputItems: { list: async (id, query = {}) => store.inputItems(id, { ...query }) },
  };
}

/** Starts requests in the same way, with the field names of a response request in errors. */
function withFields(start: StartRequest): StartRequest {
  return (plan) =>
    start(plan).catch((error: unknown) => {
      throw withResponseFields(error);
    });
}

function responseCall(store: ResponseStore): Call<ResponsePlan, ModelResponse, ResponseStreamEvent> {
  const keep = (plan: ResponsePlan, response: ModelResponse): void => {
    if (plan.asked.store) store.add(response, plan.input);
  };
  return {
    read: (request) => readResponseRequest(request, store),
    async answer(plan, choices) {
      try {
        const response = await wholeResponse(plan, choices);
        keep(plan, response);
        return response;
      } catch (error) {
        throw withResponseFields(error);
      }
    },
    async *chunks(plan, choices) {
      for await (const event of responseEvents(plan, choices)) {
        // Before the event is read, so that whoever reads it can name the response.
        if (event.type === "response.completed" || event.type === "response.incomplete") {
          keep(plan, event.response);
        }
        yield event;
      }
    },
  };
}
