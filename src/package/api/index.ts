/**
 * `midtoken`: a language model in the page, with mods and timelines, used through OpenAI's calls.
 *
 * @example
 * const engine = await createEngine({ model: "/models/stories260k/", dtype: "fp32" });
 * const stream = await engine.chat.completions.create({
 *   model: "stories260k",
 *   messages: [{ role: "user", content: "Once upon a time" }],
 *   stream: true,
 * });
 * for await (const chunk of stream) console.log(chunk.choices[0]?.delta.content ?? "");
 */

export type { ErrorCode } from "../../core/base/error-codes.ts";
export type { HubToken } from "../../core/base/hub-token.ts";
export type { Mod } from "../../core/sdk/mod.ts";
export type {
  Message,
  ResponseFormat,
  ToolCall,
  ToolChoice,
  ToolDefinition,
} from "../../core/sdk/request.ts";
export { type ModPayload, type SerializeOptions, serializeMod } from "../../core/sdk/serialize.ts";
export type { Trace, TraceRecord } from "../../core/trace/format/format.ts";
export type { SessionOptions } from "../../runtime/session/page-side/client.ts";
export type * from "../../runtime/session/page-side/layers.ts";
export { ApiError, type ApiErrorBody, type ApiErrorFields, type ApiErrorType } from "./api-error.ts";
export { type CanRunOptions, canRun, type RunForecast } from "./can-run.ts";
export type * from "./chat-completion.ts";
export type * from "./completions-api.ts";
export { createEngine, type EngineOptions } from "./create-engine.ts";
export type * from "./embeddings/embedding-types.ts";
export type * from "./midtoken-engine.ts";
export type * from "./responses/event-types.ts";
export type * from "./responses/request-types.ts";
export type * from "./responses/response-types.ts";
export type * from "./responses/responses-api.ts";
export type { EngineStore, StoredKind } from "./store/engine-store.ts";
export type * from "./text-completion.ts";
