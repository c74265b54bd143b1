/** Answers one of OpenAI's calls over HTTP. */
import type { ResponseExtension } from "../api/chat-completion.ts";
import type { CompletionStream, Completions } from "../api/completions-api.ts";
import { isRecord } from "../base/record.ts";
import { type EventFormat, eventStream } from "./event-stream.ts";
import type { Asked } from "./route.ts";

type Listening = Pick<Asked, "request" | "notes" | "waits">;

/** Whole as JSON, or as events in this format. */
export async function answerOf<Fields, Answer extends { readonly midtoken?: ResponseExtension }, Chunk>(
  completions: Completions<Fields, Answer, Chunk>,
  fields: Fields,
  { request: { signal }, notes, waits }: Listening,
  format?: EventFormat<Chunk>,
): Promise<Response> {
  if (isRecord(fields) && typeof fields.model === "string") notes.model = fields.model;
  const answer = await completions.create(fields, { signal });
  if (!isStream(answer)) {
    notes.requestIds = answer.midtoken?.request_ids ?? [];
    return Response.json(answer, { headers: idHeader(notes.requestIds) });
  }
  notes.requestIds = answer.requestIds;
  return new Response(await eventStream(answer, { signal, notes, waits }, format), {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      ...idHeader(answer.requestIds),
    },
  });
}

function isStream<Chunk>(answer: object | CompletionStream<Chunk>): answer is CompletionStream<Chunk> {
  return Symbol.asyncIterator in answer;
}

/** OpenAI's clients give it as `_request_id`. */
const idHeader = ([id]: readonly string[] = []): Record<string, string> =>
  id === undefined ? {} : { "x-request-id": id };
