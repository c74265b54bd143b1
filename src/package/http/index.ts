/** `midtoken/openai`: OpenAI's HTTP API on an engine. */
export { ApiError, type ApiErrorBody, type ApiErrorFields, type ApiErrorType } from "../api/api-error.ts";
export { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from "./fetch-handler.ts";
export type { AllowedOrigins } from "./other-origins.ts";
export { type ServeOptions, type ServingTab, serveFromThisTab } from "./serve-from-this-tab.ts";
