/** Sessions, on which the engine is built: one model, requests with all that can be done to them while they run, and their records. */

export { openEngineWorker } from "../../runtime/session/connection/engine-worker-transport.ts";
export { portTransport } from "../../runtime/session/connection/port-transport.ts";
export { workerTransport } from "../../runtime/session/connection/worker-transport.ts";
export {
  answerFormatProblem,
  createSession,
  type SessionOptions,
} from "../../runtime/session/page-side/client.ts";
export type * from "../../runtime/session/page-side/layers.ts";
export type { RunHandle, RunOptions, Session } from "../../runtime/session/page-side/session.ts";
export type { Pause, PauseReason } from "../../runtime/session/shared/breakpoint.ts";
export type { LoadOptions } from "../../runtime/session/shared/load-options.ts";
export type {
  DevicePreference,
  LoadedModel,
  LoadProgress,
  ModelReference,
  PromptRequest,
  PromptToken,
  RequestMod,
  RunRequest,
  Verification,
  VerifyRequest,
} from "../../runtime/session/shared/protocol.ts";
export { recordedRequest } from "../../runtime/session/shared/recorded-request.ts";
export { RequestRefusedError } from "../../runtime/session/shared/refusal.ts";
export type { EngineTransport } from "../../runtime/session/shared/transport.ts";
