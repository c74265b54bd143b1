/** Loads the code of responses at the first request, because few pages use responses. */
import { importProgramPart } from "../../../core/base/import-part.ts";
import type { StartRequest } from "../start-request.ts";
import type { ResponseSaveOptions } from "./response-store.ts";
import type { Responses } from "./responses-api.ts";

export function createLazyResponses(start: StartRequest, saved: ResponseSaveOptions): Responses {
  let made: Responses | null = null;
  const fetched = async (): Promise<Responses> => {
    const { createResponses } = await importProgramPart(
      "The responses API",
      () => import("./responses.ts"),
      "createResponses",
    );
    // Two simultaneous first requests share one store.
    made ??= createResponses(start, saved);
    return made;
  };
  const create = async (...asked: Parameters<Responses["create"]>) => (await fetched()).create(...asked);
  return {
    // The result of `create` depends on the request; the overloads express this in types.
    create: create as Responses["create"],
    retrieve: async (id) => (await fetched()).retrieve(id),
    delete: async (id) => (await fetched()).delete(id),
    inputItems: { list: async (...asked) => (await fetched()).inputItems.list(...asked) },
  };
}
