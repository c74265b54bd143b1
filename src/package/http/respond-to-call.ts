/** Answers one of OpenAI's calls over HTTP. */

import { isRecord } from "../../core/base/record.ts";
import type { ResponseExtension } from "../api/chat-completion.ts";
import type { CompletionStream, Completions } from "../api/completions-api.ts";
import { createEventStream, type EventFormat } from "./event-stream.ts";
import type { ResponseLogNotes } from "./response-notes.ts";
import type { RouteRequest } from "./route.ts";

type Listening = Pick<RouteRequest, "request" | "notes" | "waits">;

/** Answers as one JSON text, or as events in this format. */
export async function respondWithCompletion<
  Fields,
  Answer extends { readonly midtoken?: ResponseExtension },
  Chunk,
>(
  completions: Completions<Fields, Answer, Chunk>,
  fields: Fields,
  { request: { signal }, notes, waits }: Listening,
  format?: EventFormat<Chunk>,
): Promise<Response> {
  if (isRecord(fields) && typeof fields.model === "string") notes.model = fields.model;
  const answer = await completions.create(fields, { signal });
  if (!isStream(answer)) {
    notes.requestIds = answer.midtoken?.request_ids ?? [];
    const usage = usageOf(answer);
    if (usage) notes.usage = usage;
    return Response.json(answer, { headers: idHeader(notes.requestIds) });
  }
  notes.requestIds = answer.requestIds;
  return new Response(await createEventStream(answer, { signal, notes, waits }, format), {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      ...idHeader(answer.requestIds),
    },
  });
}

/** Null if the answer has no usage. Responses have other names for these numbers. */
function usageOf(answer: object): ResponseLogNotes["usage"] | null {
  const usage = "usage" in answer && isRecord(answer.usage) ? answer.usage : {};
  const prompt = usage.prompt_tokens ?? usage.input_tokens;
  const completion = usage.completion_tokens ?? usage.output_tokens;
  if (typeof prompt !== "number") return null;
  return { prompt_tokens: prompt, completion_tokens: typeof completion === "number" ? completion : 0 };
}

function isStream<Chunk>(answer: object | CompletionStream<Chunk>): answer is CompletionStream<Chunk> {
  return Symbol.asyncIterator in answer;
}

/** OpenAI's clients expose this header as `_request_id`. */
const idHeader = ([id]: readonly string[] = []): Record<string, string> =>
  id === undefined ? {} : { "x-request-id": id };
