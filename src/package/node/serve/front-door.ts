/** The steps of `midtoken serve` before the API: health, keys, limits and the request log. */
import { NoticeLimit } from "../../../runtime/remote/notice-limit.ts";
import { ApiError } from "../../api/api-error.ts";
import type { MidtokenEngine } from "../../api/midtoken-engine.ts";
import { type Admission, createServerHandler, type FetchHandlerOptions } from "../../http/fetch-handler.ts";
import type { ResponseLogNotes } from "../../http/response-notes.ts";
import { healthResponse, type ServerState } from "./health.ts";
import type { KeyHolder, KeyRing } from "./key-ring.ts";
import type { Clock } from "./key-use.ts";
import type { LoggedRequest } from "./request-log.ts";
import { RequestRoom, refuseAsUnavailable, type ServerCapacity, type ServerLoad } from "./room.ts";
import { loadedModelName, type SpentTokens, spentTokensOf } from "./spent-tokens.ts";
import { RequestTimeLimit } from "./time-limit.ts";

export type { ServerCapacity };

export interface FrontDoorOptions extends Pick<FetchHandlerOptions, "origins"> {
  readonly engine: MidtokenEngine;
  /** Null if no key is needed. */
  readonly keys: KeyRing | null;
  readonly state: () => ServerState;
  readonly log: (request: LoggedRequest) => void;
  /** Called with messages for the operator, for each kind of error at most once a minute. */
  readonly onNotice?: (notice: string) => void;
  readonly clock?: Clock;
  readonly capacity?: ServerCapacity;
  /** Milliseconds that a request with its response may take; no limit unless given. */
  readonly mostMs?: number | undefined;
  /** Whether only keys with the word `mods` may register and remove mods over HTTP. */
  readonly hasFixedMods?: boolean | undefined;
}

export type FrontDoor = ((request: Request) => Promise<Response>) & {
  /** Resolves when no request is in progress. */
  idle(): Promise<void>;
  load(): ServerLoad;
};

export const defaultServerCapacity: ServerCapacity = { requests: 256, bytes: 256 * 1_048_576 };
const mostBodyBytes = 8 * 1_048_576;

/** Milliseconds that a log line waits for the tokens of a request whose client has left. */
const mostTokensMs = 5_000;

export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const { engine, origins = [], state, capacity = defaultServerCapacity, mostMs } = options;
  const handler = createServerHandler(engine, { origins, maxBodyBytes: mostBodyBytes });
  const room = new RequestRoom(capacity, () => answeredAtOnce(engine));
  const notices = new NoticeLimit();
  const tell = ({ error = "", notice }: ResponseLogNotes): void => {
    const admitted = notice === undefined ? null : notices.admit(error, notice);
    if (admitted !== null) options.onNotice?.(admitted);
  };
  const respond = async (asked: Request): Promise<Response> => {
    const health = healthResponse(asked, engine, state());
    if (health) return health;
    const limit = mostMs === undefined ? null : new RequestTimeLimit(asked, mostMs);
    const request = limit?.request ?? asked;
    const visit = new Visit(request, options, room);
    const response = await handler(request, { notes: visit.notes, admit: () => visit.enter() });
    return observed(response, (isWhole) => {
      limit?.end();
      visit.end(response.status, isWhole);
      tell(visit.notes);
    });
  };
  const answer = async (asked: Request): Promise<Response> => {
    const response = await respond(asked);
    // The client's next request then goes over a new connection, which a load balancer gives to another server.
    if (state() === "stopping") response.headers.set("connection", "close");
    return response;
  };
  return Object.assign(answer, { idle: () => room.idle(), load: () => room.load });
}

/** How many requests the models answer at the same time. */
function answeredAtOnce({ models }: MidtokenEngine): number {
  return models.list().reduce((sum, { loaded }) => sum + (loaded?.conversations ?? 1), 0);
}

/** One request, from its head to the end of its response. */
class Visit {
  readonly notes: ResponseLogNotes = {};
  readonly #request: Request;
  readonly #options: FrontDoorOptions;
  readonly #room: RequestRoom;
  readonly #clock: Clock;
  readonly #begun: number;
  #holder: KeyHolder | null = null;
  /** Releases what the request counts against the limits. */
  #leave = (): void => undefined;

  constructor(request: Request, options: FrontDoorOptions, room: RequestRoom) {
    this.#request = request;
    this.#options = options;
    this.#room = room;
    this.#clock = options.clock ?? (() => performance.now());
    this.#begun = this.#clock();
  }

  enter(): Admission {
    const { keys, state } = this.#options;
    this.#holder = keys?.holderOf(this.#request.headers.get("authorization")) ?? null;
    if (keys && !this.#holder) return noKey(this.#request);
    if (this.#isForbidden()) return modsAreFixed();
    if (state() === "stopping")
      return refuseAsUnavailable("server_stopped", "The server is stopping and accepts no more requests", 5);
    if (state() !== "ready")
      return refuseAsUnavailable("server_loading", "The server is loading its models", 5);
    const size = { bytes: announcedBytes(this.#request), isAnswered: isAnswered(this.#request) };
    const fullness = this.#room.refusalOf(size);
    if (fullness) return fullness;
    const admission = this.#holder?.use.enter() ?? { headers: {}, refusal: null };
    if (admission.refusal) return admission;
    const leave = this.#room.enter(size, this.#clock);
    this.#leave = () => {
      leave();
      this.#holder?.use.leave();
    };
    return admission;
  }

  #isForbidden(): boolean {
    const { method, url } = this.#request;
    if (!this.#options.hasFixedMods || this.#holder?.mayChangeMods || !["POST", "DELETE"].includes(method))
      return false;
    return /^\/v1\/mods(?:\/|$)/.test(new URL(url).pathname);
  }

  /** @param isWhole whether the client has read the whole response */
  end(status: number, isWhole: boolean): void {
    this.#leave();
    const ms = Math.round(this.#clock() - this.#begun);
    const tokens = spentTokensOf(this.#options.engine, this.notes);
    void tokens.then((spent) => this.#holder?.use.spend((spent?.prompt ?? 0) + (spent?.completion ?? 0)));
    void soon(tokens).then((spent) => this.#log({ status: isWhole ? status : 499, ms, spent }));
  }

  #log({ status, ms, spent }: { status: number; ms: number; spent: SpentTokens | null }): void {
    const { engine, log } = this.#options;
    const { route, model, error } = this.notes;
    log({
      time: new Date().toISOString(),
      key: this.#holder?.name ?? null,
      method: this.#request.method,
      route: route ?? null,
      model: loadedModelName(engine, model),
      status,
      prompt_tokens: spent?.prompt ?? null,
      completion_tokens: spent?.completion ?? null,
      ms,
      error: error ?? null,
    });
  }
}

function modsAreFixed(): Admission {
  const refusal = new ApiError(
    'The mods of this server are fixed: only a key that has the word "mods" in the key file may register or remove mods.',
    { status: 403, type: "invalid_request_error", code: "mods_fixed" },
  );
  return { headers: {}, refusal };
}

function noKey({ headers }: Request): Admission {
  const isMissing = headers.get("authorization") === null;
  const what = isMissing
    ? "The request has no API key"
    : "The API key of the request is not valid for this server";
  const refusal = new ApiError(`${what}: send a key as "Authorization: Bearer KEY".`, {
    status: 401,
    type: "invalid_request_error",
    code: "invalid_api_key",
  });
  return { headers: { "www-authenticate": "Bearer" }, refusal };
}

/** Whether a model answers the request. */
function isAnswered({ method, url }: Request): boolean {
  const { pathname } = new URL(url);
  return method === "POST" && /^\/v1\/(?:(?:chat\/)?completions|responses|embeddings)$/.test(pathname);
}

/** If the length of a body is not announced, the largest allowed length counts. */
function announcedBytes({ headers, body }: Request): number {
  if (!body) return 0;
  const length = Number(headers.get("content-length") ?? mostBodyBytes);
  return Number.isFinite(length) ? Math.min(length, mostBodyBytes) : mostBodyBytes;
}

/** The response, which calls the listener once: when it was read to its end, or when its client has left. */
function observed(response: Response, listener: (isWhole: boolean) => void): Response {
  let isOver = false;
  const onEnd = (isWhole: boolean): void => {
    if (!isOver) listener(isWhole);
    isOver = true;
  };
  if (!response.body) {
    onEnd(true);
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          onEnd(true);
          controller.close();
        } catch (error) {
          onEnd(false);
          controller.error(error);
        }
      },
      async cancel(reason) {
        onEnd(false);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

/** The value of the promise; null if it takes too long. */
async function soon<Value>(promise: Promise<Value | null>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, mostTokensMs, null);
    timer.unref();
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
