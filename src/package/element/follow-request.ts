/** The records of a request while they come, from an engine in this page. */

import type { TraceRecord } from "../../core/trace/format/format.ts";
import type { RequestEvent, RequestInfo } from "../api/midtoken-engine.ts";
import type { RequestsOwner } from "./timeline-source.ts";

export interface RequestFollower {
  /** A request is followed from now on, of which nothing has been told. */
  begin(): void;
  take(records: readonly TraceRecord[]): void;
  /** Called with the request's state, after its records. */
  tell(request: RequestInfo): void;
}

/**
 * Follows one request from its beginning, or, with `id` null, the newest one: the last that is there, and each that begins.
 * @returns what ends it.
 * @throws what `subscribe` throws: an ApiError for a request that is not there.
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
