/** The type of a route of the API. Types only. */
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import type { EventStreamDelays } from "./event-stream.ts";
import type { ResponseLogNotes } from "./response-notes.ts";

export interface RouteRequest {
  readonly engine: MidtokenEngine;
  /** The decoded part of the path at the route's `*`. */
  readonly name: string;
  /** @throws ApiError, 400, 413 or 415 */
  body(): Promise<unknown>;
  readonly request: Request;
  readonly notes: ResponseLogNotes;
  readonly waits: EventStreamDelays;
}

export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path below the base path. `*` stands for a name, which may contain slashes. */
  readonly path: string;
  /**
   * The field of the body that contains the prompt. Its size is compared with the loaded models' limits before the body is
   * parsed.
   */
  readonly promptField?: "messages" | "input";
  answer(asked: RouteRequest): Promise<Response> | Response;
}
