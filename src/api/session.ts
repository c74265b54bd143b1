/** Sessions, on which the engine is built: one model, requests with all that can be done to them while they run, and their records. */
export { answerFormatProblem, createSession, type SessionOptions } from "../session/client.ts";
export { openEngineWorker } from "../session/engine-worker-transport.ts";
export type * from "../session/layers.ts";
export type { PromptToken } from "../session/link-prompts.ts";
export type { LoadOptions } from "../session/load-options.ts";
export { portTransport } from "../session/port-transport.ts";
export type {
  DevicePreference,
  LoadedModel,
  LoadProgress,
  ModelReference,
  PromptRequest,
  RequestMod,
  RunRequest,
  Verification,
  VerifyRequest,
} from "../session/protocol.ts";
export { RequestRefusedError } from "../session/refusal.ts";
export type { Pause, PauseReason } from "../session/run-control.ts";
export type { RunHandle, RunOptions, Session } from "../session/session.ts";
export type { EngineTransport } from "../session/transport.ts";
export { workerTransport } from "../session/worker-transport.ts";
