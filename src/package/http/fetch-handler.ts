/** Serves an engine over HTTP: a function from a request to its response, for service workers, servers and tests. */

import { checkOptionKeys, type OptionKeys } from "../../core/base/known-keys.ts";
import { showJson } from "../../core/base/show.ts";
import { ApiError } from "../api/api-error.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { StoreError } from "../api/store/stored-json.ts";
import { promptBodyLimit } from "./body-limit.ts";
import { defaultStreamDelays, type EventStreamDelays } from "./event-stream.ts";
import { apiErrorOf, errorResponse } from "./http-error.ts";
import { type AllowedOrigins, checkOrigins, corsHeadersFor, preflightHeaders } from "./other-origins.ts";
import { bodyLimit, readJsonBody } from "./read-json-body.ts";
import type { ResponseLogNotes } from "./response-notes.ts";
import type { Route } from "./route.ts";
import { routes } from "./routes.ts";

export interface FetchHandlerOptions {
  /** The beginning of the API's paths; by default "/v1". */
  readonly basePath?: string;
  /** Origins of other sites and apps whose pages may send requests, each matched exactly; "*": all pages. By default none. */
  readonly origins?: AllowedOrigins;
  /** The most bytes of a request; by default 8 MiB. */
  readonly maxBodyBytes?: number;
}

const optionKeys: OptionKeys<FetchHandlerOptions> = { basePath: true, origins: true, maxBodyBytes: true };

/**
 * Never rejects: a failure becomes a response with an error in OpenAI's format. A request whose signal aborts is cancelled.
 * If the signal's reason is an ApiError, the client gets this error: as the response, or as the last event of a stream that
 * has begun.
 */
export type FetchHandler = (request: Request) => Promise<Response>;

/** Data that a server of this package adds to a request. */
export interface ServerRequestHooks {
  /** The handler fills these notes while it answers the request. */
  readonly notes?: ResponseLogNotes;
  /** Called after the request's origin was accepted. Not called for OPTIONS, which browsers send without a key. */
  admit?(): Admission;
}

export interface Admission {
  /** Headers for the response, whether the request is refused or not. */
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: ApiError | null;
}

export type ServerHandler = (request: Request, visit?: ServerRequestHooks) => Promise<Response>;

/**
 * Serves OpenAI's API, and Midtoken's own for mods and recorded requests:
 * `POST /v1/chat/completions`, `POST /v1/completions`, `POST /v1/responses`, `GET /v1/responses/ID`,
 * `GET /v1/responses/ID/input_items`, `DELETE /v1/responses/ID`, `POST /v1/embeddings`, `GET /v1/models`,
 * `GET /v1/models/ID`, `GET /v1/mods`, `POST /v1/mods`, `DELETE /v1/mods/NAME`, `GET /v1/requests/ID/trace`.
 *
 * @example
 * const handler = createFetchHandler(engine);
 * const client = new OpenAI({ apiKey: "none", baseURL: "http://engine/v1", fetch: (url, init) => handler(new Request(url, init)) });
 *
 * @throws TypeError if the base path does not begin with a slash, or ends with one, and for an origin that no browser sends.
 */
export function createFetchHandler(engine: MidtokenEngine, options: FetchHandlerOptions = {}): FetchHandler {
  checkOptionKeys("createFetchHandler", options, optionKeys);
  const handler = createServerHandler(engine, options);
  return (request) => handler(request);
}

/** Like `createFetchHandler`, for the servers of this package. */
export function createServerHandler(
  engine: MidtokenEngine,
  options: FetchHandlerOptions = {},
  waits: EventStreamDelays = defaultStreamDelays,
): ServerHandler {
  const { basePath = "/v1", origins = [], maxBodyBytes = 8 * 1_048_576 } = options;
  if (!/^(?:\/[^/]+)*$/.test(basePath)) {
    throw new TypeError(`The base path is ${showJson(basePath)}: give a path such as "/v1", or "" for none.`);
  }
  checkOrigins(origins);
  return async (request, { notes = {}, admit } = {}) => {
    let headers: Readonly<Record<string, string>> = {};
    let response: Response;
    try {
      headers = corsHeadersFor(request, origins);
      const { route, name, methods } = findRoute(request, basePath);
      // Logs and metrics name the route of a refused request too.
      if (route) notes.route = `${basePath}${route.path}`;
      if (request.method !== "OPTIONS" && admit) {
        const admission = admit();
        headers = { ...headers, ...admission.headers };
        if (admission.refusal) throw admission.refusal;
      }
      if (methods.length === 0) throw unknownRoute(request, basePath);
      if (request.method === "OPTIONS") {
        const allow = { allow: methods.join(", "), ...preflightHeaders(request, methods) };
        return new Response(null, { status: 204, headers: { ...allow, ...headers } });
      }
      if (!route) {
        headers = { ...headers, allow: methods.join(", ") };
        throw methodNotAllowed(request, methods);
      }
      const { promptField } = route;
      const limit = () =>
        promptField ? promptBodyLimit(engine, promptField, maxBodyBytes) : bodyLimit(maxBodyBytes);
      const body = () => readJsonBody(request, limit());
      response = withHeaders(await route.answer({ engine, name, body, request, notes, waits }), headers);
    } catch (error) {
      notes.error = apiErrorOf(error).code;
      if (error instanceof StoreError) notes.notice = error.message;
      response = errorResponse(error, headers);
    }
    return request.method === "HEAD" ? headOf(response) : response;
  };
}

/** The response without its body, for HEAD. */
function headOf({ status, headers }: Response): Response {
  return new Response(null, { status, headers });
}

interface FoundRoute {
  /** Null if the path has no route for the request's method. */
  readonly route: Route | null;
  readonly name: string;
  /** The methods that the path supports; empty if there is no such path. */
  readonly methods: readonly string[];
}

function findRoute({ url, method }: Request, basePath: string): FoundRoute {
  const { pathname } = new URL(url);
  const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : null;
  const fitting = routes.flatMap((route) => {
    const name = path === null ? null : nameIn(path, route.path);
    return name === null ? [] : [{ route, name }];
  });
  if (fitting.length === 0) return { route: null, name: "", methods: [] };
  const asked = method === "HEAD" ? "GET" : method;
  const found = fitting.find(({ route }) => route.method === asked);
  const methods = [
    ...new Set(fitting.flatMap(({ route }) => (route.method === "GET" ? ["GET", "HEAD"] : [route.method]))),
    "OPTIONS",
  ];
  return { route: found?.route ?? null, name: found?.name ?? "", methods };
}

/** Names the existing routes. */
function unknownRoute({ url }: Request, basePath: string): ApiError {
  const known = routes.map((route) => `${route.method} ${basePath}${route.path.replace("*", "ID")}`);
  const message = `This server has no route ${new URL(url).pathname}. The routes are ${known.join(", ")}.`;
  return new ApiError(message, { status: 404, type: "not_found_error", code: "unknown_url" });
}

/** The decoded text that matches the `*`; "" for a pattern without `*`; null if the path does not match. */
function nameIn(path: string, pattern: string): string | null {
  const [before = "", after] = pattern.split("*");
  if (after === undefined) return path === pattern ? "" : null;
  if (!path.startsWith(before) || !path.endsWith(after)) return null;
  const name = path.slice(before.length, path.length - after.length);
  try {
    return name === "" ? null : decodeURIComponent(name);
  } catch {
    // The percent-encoding is invalid, so no name matches.
    return null;
  }
}

function methodNotAllowed({ method, url }: Request, methods: readonly string[]): ApiError {
  const { pathname } = new URL(url);
  return new ApiError(`${pathname} does not accept ${method}: use ${methods.join(" or ")}.`, {
    status: 405,
    type: "invalid_request_error",
    code: "method_not_allowed",
  });
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
