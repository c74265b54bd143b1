/** `midtoken/mod`: everything that an author of mods imports. Its exports are listed by hand; at most 25 names. */
export type { Action } from "./action.ts";
export { InvalidActionError } from "./action.ts";
export type { ActionsFor } from "./actions.ts";
export type { ToolCallPair } from "./conversation.ts";
export { getSchemas, toolCallPairs } from "./conversation.ts";
export type { EventOf, ModEvent } from "./event.ts";
export type { Mod } from "./mod.ts";
export { mod } from "./mod.ts";
export type { Message, TokenId, ToolCall, ToolDefinition } from "./request.ts";
export type { RequestState } from "./request-scope.ts";
export { getConversation, requestState } from "./request-scope.ts";
export type { ModPayload, SerializeOptions } from "./serialize.ts";
export { serializeMod } from "./serialize.ts";
export type { SteeringVector } from "./steering-vector.ts";
export { steeringVector } from "./steering-vector.ts";
export type { Tokenizer } from "./tokenizer.ts";
