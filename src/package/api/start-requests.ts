/** Starts requests of an engine: finds model and mods, waits for the request's turn, and turns records into text. */
import { importProgramPart } from "../../core/base/import-part.ts";
import { randomId } from "../../core/base/random-id.ts";
import type { TrustedMod } from "../../core/sdk/mod.ts";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import type { AnswerStreamEvent } from "../../core/trace/text/text-stream-events.ts";
import type { RunHandle } from "../../runtime/session/page-side/session.ts";
import { RequestRefusedError } from "../../runtime/session/shared/refusal.ts";
import { ApiError, engineDisposedError, invalidRequestError, requestCancelledError } from "./api-error.ts";
import { createEventQueue } from "./event-queue.ts";
import { finishReasonOf } from "./finish-reason.ts";
import type { LoadedModels, ModelSession } from "./loaded-models.ts";
import { type ModRegistry, type RegisteredMod, toRequestMod } from "./mod-registry.ts";
import { readModelString } from "./model-string.ts";
import { checkPromptSize, promptFieldOf, promptTooLongError } from "./prompt-size.ts";
import type { RequestStore } from "./request-store.ts";
import type { RequestPlan, StartedRequest, StartRequest } from "./start-request.ts";

export interface StartRequestDependencies {
  readonly models: LoadedModels;
  readonly mods: ModRegistry;
  readonly requests: RequestStore;
}

export function createStartRequest({ models, mods, requests }: StartRequestDependencies): StartRequest {
  return async (plan) => {
    if (models.isDisposed) throw engineDisposedError();
    const modelAndMods = readModelString(plan.model, models.ids);
    const modsOfModel = await Promise.all(modelAndMods.mods.map((name) => mods.find(name)));
    const chosen = [...modsOfModel, ...(await banningMods(plan))];
    const entry = models.get(modelAndMods.model);
    if (entry.loaded) checkPromptSize(plan, entry.loaded);
    const modelGoneError = () => {
      if (models.isDisposed) return engineDisposedError();
      return models.has(entry) ? null : modelUnloadedError(entry.reference.id);
    };
    const use = () => models.use(entry);
    return startRequest(plan, { entry, mods: chosen, requests, gone: modelGoneError, use });
  };
}

interface RequestTarget {
  readonly entry: ModelSession;
  readonly mods: readonly RegisteredMod[];
  readonly requests: RequestStore;
  /** The error if the model was removed; null while it exists. */
  readonly gone: () => ApiError | null;
  /** Called at the request's turn. */
  readonly use: () => void;
}

function startRequest(
  plan: RequestPlan,
  { entry, mods, requests, gone: modelGoneError, use }: RequestTarget,
): StartedRequest {
  const id = `request-${randomId()}`;
  const createdAt = Date.now();
  let handle: RunHandle | null = null;
  let lastRecord: TraceRecord | undefined;
  let isCancelled = false;
  const cancel = () => {
    if (handle) return handle.stop();
    // The turn may have come while the model is still being loaded.
    isCancelled = true;
    leave();
    end(modelGoneError() ?? cancelledEarlyError());
  };
  const events = createEventQueue<AnswerStreamEvent>(cancel);
  const end = (error?: Error) => {
    requests.setStatus(id, error ? "failed" : "finished", error ?? null);
    events.end(error);
  };
  requests.add({ id, model: plan.model, status: "waiting", createdAt, error: null }, cancel);
  const leave = entry.queue.add(plan.client, async () => {
    try {
      const [model, { createAnswerReceiver }] = await Promise.all([entry.loading, fetchAnswerStream()]);
      const { capacity, vocabularySize, toolCalls } = model;
      const goneError = modelGoneError();
      if (goneError) throw goneError;
      if (isCancelled) return;
      use();
      checkPromptSize(plan, model);
      checkBias(plan, vocabularySize);
      const mayTakeBack = mods.map(({ removesText }) => removesText);
      const answerOptions = { plan, mayTakeBack, toolCalls };
      const receive = createAnswerReceiver(answerOptions, events, () => handle?.stop());
      handle = entry.session.run(
        {
          ...plan.request,
          maxTokens: plan.request.maxTokens ?? capacity,
          requestId: id,
          mods: mods.map(toRequestMod),
        },
        (records) => {
          requests.setStatus(id, "running");
          requests.record(id, records);
          lastRecord = records.at(-1);
          receive(records);
        },
        { trusted: trustedOf(mods) },
      );
      await handle.done;
      // Readers of the events get the failure with the last event; the list of requests must show it too.
      const failure = failureOf(lastRecord, started);
      if (failure) requests.setStatus(id, "failed", failure);
      // The trace is saved before the answer ends, so that a client with the complete answer finds its trace, even if this
      // program is then killed.
      await requests.save(id);
      end();
    } catch (error) {
      const failure =
        lastRecord === undefined ? requestErrorOf(error, promptFieldOf(plan)) : errorDuringRun(error, id);
      end(modelGoneError() ?? failure);
    }
  });
  const started: StartedRequest = {
    id,
    createdAt,
    events,
    cancel,
    mods: mods.map(({ payload }) => payload.name),
    promptField: promptFieldOf(plan),
  };
  return started;
}

/** The mod that enforces the request's `banned_strings`; none if the request has none. */
async function banningMods({ bannedStrings = [] }: RequestPlan): Promise<readonly RegisteredMod[]> {
  if (bannedStrings.length === 0) return [];
  const load = () => import("./banned-strings.ts");
  const { bannedStringsMod } = await importProgramPart(
    "The filter for banned strings",
    load,
    "bannedStringsMod",
  );
  return [bannedStringsMod(bannedStrings)];
}

/** Loads the code that turns records into an answer, while the model is being loaded. */
const fetchAnswerStream = () =>
  importProgramPart(
    "The code that builds answers",
    () => import("./answer-stream.ts"),
    "createAnswerReceiver",
  );

function failureOf(lastRecord: TraceRecord | undefined, request: StartedRequest): ApiError | null {
  if (lastRecord?.type !== "finished") return null;
  try {
    finishReasonOf({ record: lastRecord }, request);
    return null;
  } catch (error) {
    return error as ApiError;
  }
}

function trustedOf(mods: readonly RegisteredMod[]): ReadonlyMap<number, TrustedMod> {
  return new Map(mods.flatMap(({ trusted }, place) => (trusted ? [[place, trusted] as const] : [])));
}

/** @throws ApiError, 400, for an id that is not a token: the sampler would ignore it, and the client would not notice */
function checkBias({ request: { sampling } }: RequestPlan, vocabularySize: number): void {
  const unknownToken = Object.keys(sampling.logitBias).find((token) => Number(token) >= vocabularySize);
  if (unknownToken === undefined) return;
  throw invalidRequestError(
    `logit_bias names the token ${unknownToken}, but this model has tokens 0 to ${vocabularySize - 1}.`,
    "logit_bias",
  );
}

const cancelledEarlyError = (): ApiError =>
  requestCancelledError("The request was cancelled before it began.");

function modelUnloadedError(model: string): ApiError {
  return new ApiError(
    `The model "${model}" was unloaded before the request had ended. Load the model and try again.`,
    {
      status: 503,
      type: "engine_error",
      code: "model_unloaded",
      param: "model",
    },
  );
}

/** The error of a running request whose worker was ended. */
function errorDuringRun(error: unknown, id: string): Error {
  const isStopped = error instanceof Error && error.name === "AbortError";
  return isStopped ? requestCancelledError(`The request ${id} was cancelled.`) : requestErrorOf(error);
}

/** The error that a client gets: an ApiError, made of any other Error. `promptField`: the field that an error about the prompt's length names. */
export function requestErrorOf(error: unknown, promptField: "prompt" | "messages" = "messages"): Error {
  if (error instanceof ApiError) return error;
  if (error instanceof RequestRefusedError) {
    const { message, field, code } = error;
    if (code === "context_length_exceeded") return promptTooLongError(message, promptField);
    // The session's names of settings are those of the API, written in one word: repetitionPenalty, repetition_penalty.
    const param = field?.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) ?? null;
    return invalidRequestError(message, param, code ?? "invalid_value");
  }
  if (!(error instanceof Error)) return error as Error;
  if (error.name === "AbortError") return cancelledEarlyError();
  return new ApiError(error.message, {
    status: 500,
    type: "engine_error",
    code: "engine_failed",
    cause: error,
  });
}
