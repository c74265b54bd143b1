/**
 * `midtoken/session`, the public API without OpenAI's formats: requests with their records, breakpoints and verification,
 * the models of models.json, and the files that the browser caches. Midtoken's own page uses only this part of the engine.
 */
export type { ServerAccess } from "../../core/base/server-access.ts";
export { textBesideCalls } from "../../core/tools/formats.ts";
export { largestSource } from "../../runtime/sandbox/compiled-mod.ts";
export { portTransport } from "../../runtime/session/connection/port-transport.ts";
export { workerTransport } from "../../runtime/session/connection/worker-transport.ts";
export {
  type AvailableWeights,
  availableWeights,
  availableWeightsOfEntry,
  type JudgedWeights,
  type PickedFiles,
  type RefusedGraph,
} from "../../runtime/session/page-side/available-weights.ts";
export {
  type BackgroundQueue,
  createBackgroundQueue,
} from "../../runtime/session/page-side/background-queue.ts";
export { openCachedFile } from "../../runtime/session/page-side/cached-model-files.ts";
export {
  type CachedModel,
  cacheModel,
  hasNewerVersion,
  listCachedModels,
  removeCachedModel,
  repairCachedModel,
  updateCachedModel,
} from "../../runtime/session/page-side/cached-models.ts";
export {
  answerFormatProblem,
  createSession,
  type SessionOptions,
} from "../../runtime/session/page-side/client.ts";
export type * from "../../runtime/session/page-side/layers.ts";
export {
  findModelServer,
  findRelay,
  type RelayState,
  type ServerFound,
} from "../../runtime/session/page-side/model-server.ts";
export { openEngineWorker } from "../../runtime/session/page-side/open-engine-worker.ts";
export type { RunHandle, RunOptions, Session } from "../../runtime/session/page-side/session.ts";
export {
  type Breakpoint,
  type BreakpointAction,
  type BreakpointEvent,
  type BreakpointRule,
  breakpointActions,
  breakpointEvents,
  breakpointLimits,
  breakpointProblem,
  isSameRule,
  type Pause,
  type PauseReason,
  ruleOf,
} from "../../runtime/session/shared/breakpoint.ts";
export {
  type CatalogEntry,
  describeDevice,
  listModels,
  readModels,
} from "../../runtime/session/shared/catalog.ts";
export type { LoadedModel, LoadOptions } from "../../runtime/session/shared/loading.ts";
export {
  defaultMemoryBudget,
  deviceMemoryBytes,
  type EngineMemory,
} from "../../runtime/session/shared/memory-budget.ts";
export type {
  DevicePreference,
  LoadProgress,
  ModelReference,
  Verification,
} from "../../runtime/session/shared/protocol.ts";
export { recordedRequest } from "../../runtime/session/shared/recorded-request.ts";
export { RequestRefusedError } from "../../runtime/session/shared/refusal.ts";
export {
  checkRequestLimits,
  type Deadlines,
  defaultDeadlines,
  defaultPassBudget,
  isValidLimit,
  limitRanges,
} from "../../runtime/session/shared/request-limits.ts";
export type {
  PromptRequest,
  PromptToken,
  RequestMod,
  RunRequest,
  VerifyRequest,
} from "../../runtime/session/shared/requests.ts";
export type { EngineTransport } from "../../runtime/session/shared/transport.ts";
