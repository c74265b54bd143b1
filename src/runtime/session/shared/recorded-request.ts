/** The fields of a recorded request, in the form of a new request. */

import { type EveryKey, withoutUndefined } from "../../../core/base/every-key.ts";
import type { FieldsOf } from "../../../core/base/request-fields.ts";
import type { AnswerRequest, Message, ResponseFormat, ToolDefinition } from "../../../core/sdk/request.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";

/** Deadlines are left out here: a record without deadlines has null, a request has no such field. */
export type RecordedFields = Pick<AnswerRequest, "messages" | Exclude<FieldsOf<"trace">, "deadlines">>;

export function recordedRequest(record: RequestRecord): RecordedFields {
  const every: EveryKey<RecordedFields> = {
    messages: record.messages as readonly Message[],
    rawPrompt: record.rawPrompt,
    parseSpecial: record.parseSpecial,
    heal: record.heal,
    thinking: record.thinking,
    tools: record.tools.map((tool) => JSON.parse(tool) as ToolDefinition),
    toolChoice: record.toolChoice,
    parallelToolCalls: record.parallelToolCalls,
    responseFormat:
      record.responseFormat === null ? null : (JSON.parse(record.responseFormat) as ResponseFormat),
    sampling: record.sampling,
    maxTokens: record.maxTokens,
    stop: record.stop,
    seed: record.seed,
    budget: record.budget,
    onModError: record.onModError,
  };
  return withoutUndefined(every);
}
