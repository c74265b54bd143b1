/**
 * `midtoken/session`, the part of the public API below OpenAI's shapes: whole requests with their records, breakpoints and
 * verification, the models of models.json, and what the browser keeps of them. Midtoken's own page is built on this and on
 * nothing else of the engine.
 */
export * from "./answer-calls.ts";
export * from "./available-weights.ts";
export * from "./background-queue.ts";
export * from "./breakpoints.ts";
export * from "./cached-model-files.ts";
export * from "./cached-models.ts";
export * from "./catalog.ts";
export * from "./memory-budget.ts";
export * from "./request-limits.ts";
export * from "./session.ts";
