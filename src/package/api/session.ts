/** Sessions, on which the engine is built: one model, requests with all that can be done to them while they run, and their records. */
export { answerFormatProblem, createSession, type SessionOptions } from "../../runtime/session/client.ts";
export { openEngineWorker } from "../../runtime/session/engine-worker-transport.ts";
export type * from "../../runtime/session/layers.ts";
export type { LoadOptions } from "../../runtime/session/load-options.ts";
export { portTransport } from "../../runtime/session/port-transport.ts";
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
} from "../../runtime/session/protocol.ts";
export { recordedRequest } from "../../runtime/session/recorded-request.ts";
export { RequestRefusedError } from "../../runtime/session/refusal.ts";
export type { Pause, PauseReason } from "../../runtime/session/run-control.ts";
export type { RunHandle, RunOptions, Session } from "../../runtime/session/session.ts";
export type { EngineTransport } from "../../runtime/session/transport.ts";
export { workerTransport } from "../../runtime/session/worker-transport.ts";
