/** Routes for OpenAI's responses: create, retrieve, delete. */
import { invalidRequestError } from "../api/api-error.ts";
import type { ResponseRequest } from "../api/responses/request-types.ts";
import { responseEventFormat } from "./event-stream.ts";
import { respondWithCompletion } from "./respond-to-call.ts";
import type { Route } from "./route.ts";

export const responseRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/responses",
    promptField: "input",
    async answer({ engine, body, ...asked }) {
      return respondWithCompletion(
        engine.responses,
        (await body()) as ResponseRequest,
        asked,
        responseEventFormat,
      );
    },
  },
  {
    method: "GET",
    path: "/responses/*/input_items",
    async answer({ engine, name, request }) {
      const query = queryOf(request);
      const limit = query.limit === undefined ? {} : { limit: Number(query.limit) };
      return Response.json(await engine.responses.inputItems.list(name, { ...query, ...limit }));
    },
  },
  {
    method: "GET",
    path: "/responses/*",
    async answer({ engine, name, request }) {
      const { stream } = queryOf(request);
      if (stream !== undefined && stream !== "false") {
        const advice = "leave it out: a response is stored whole, without its events";
        throw invalidRequestError(`stream is ${JSON.stringify(stream)}: ${advice}.`, "stream");
      }
      return Response.json(await engine.responses.retrieve(name));
    },
  },
  {
    method: "DELETE",
    path: "/responses/*",
    async answer({ engine, name }) {
      return Response.json(await engine.responses.delete(name));
    },
  },
];

/** The parameters of the query string. */
function queryOf({ url }: Request): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(url).searchParams);
}
