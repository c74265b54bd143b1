/** Follows the records of a request while an engine in this page makes them. */

import type { TraceRecord } from "../../core/trace/format/format.ts";
import type { RequestEvent, RequestInfo } from "../api/midtoken-engine.ts";
import type { RequestsOwner } from "./timeline-source.ts";

export interface RequestFollower {
  /** Called when a request is followed from now on, before anything else about it. */
  begin(): void;
  take(records: readonly TraceRecord[]): void;
  /** Called with the request's state, after its records. */
  tell(request: RequestInfo): void;
}

/**
 * Follows one request from its beginning. With `id` null, follows the newest request: the latest existing one, and then each
 * one that begins.
 * @returns a function that stops following
 * @throws the errors of `subscribe`: an ApiError for a request that does not exist.
 */
export function followRequest(
  { requests }: RequestsOwner,
  id: string | null,
  follower: RequestFollower,
): () => void {
  let end = () => {};
  const follow = (wanted: string) => {
    end();
    follower.begin();
    end = requests.subscribe((event) => take(event, wanted), wanted);
  };
  const take = (event: RequestEvent, wanted: string) => {
    if (event.request.id !== wanted) return;
    if (event.type === "records") follower.take(event.records);
    follower.tell(event.request);
  };
  if (id !== null) {
    follow(id);
    return () => end();
  }
  const seen = new Set(requests.list().map((request) => request.id));
  const newest = requests
    .list()
    .reduce<RequestInfo | null>(
      (latest, request) => (latest && latest.createdAt > request.createdAt ? latest : request),
      null,
    );
  if (newest) follow(newest.id);
  const endAll = requests.subscribe(({ request }) => {
    if (seen.has(request.id)) return;
    seen.add(request.id);
    follow(request.id);
  });
  return () => {
    endAll();
    end();
  };
}
