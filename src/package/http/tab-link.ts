/**
 * The messages between a service worker and the tab that answers for it: the worker posts a request with a port, over
 * which the answer comes back in pieces, each when it is asked for.
 *
 * Two locks show who is there, and the browser releases them when a tab ends, however it ends: all tabs with an
 * engine wait for the leader's lock, and the worker waits for the lock of the tab that answers it. The worker knows a
 * tab by the lock's name: a lock's own `clientId` is not the id by which Chromium's service workers know a page.
 */
import { randomId } from "../../core/base/random-id.ts";

/** `scope`: of the service worker's registration. */
export const leaderLock = (scope: string): string => `midtoken.engine ${scope}`;
const tabLock = (scope: string): string => `midtoken.engine-tab ${scope} `;
/** @param clientId by which the service worker knows the page */
export const newTabLock = (scope: string, clientId: string): string =>
  `${tabLock(scope)}${clientId} ${randomId()}`;
/** The page that holds this lock; null for locks that are none of a tab. */
export const clientOfLock = (name: string, scope: string): string | null =>
  name.startsWith(tabLock(scope)) ? (name.slice(tabLock(scope).length).split(" ")[0] ?? null) : null;

/** Below the scope. */
export const apiPath = "v1";

/** To the tab, with a port for the answer. */
export interface TabRequest {
  readonly midtoken: "request";
  /** The name of the tab's lock: a page may serve more than once. */
  readonly lock: string;
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** From the worker, over the port: the next piece of the body, or no more of it. */
export type FromWorker = { readonly type: "pull" } | { readonly type: "cancel" };

/** From the tab, over the port: the head once, then a piece for each pull, `null` after the last one. */
export type FromTab =
  | {
      readonly type: "head";
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
      readonly hasBody: boolean;
    }
  | { readonly type: "piece"; readonly bytes: Uint8Array<ArrayBuffer> | null }
  | { readonly type: "failed"; readonly message: string };

/**
 * To the worker: take over the pages that are open, and answer with the id of this one over the port; or only stay awake, while
 * an answer is on its way.
 */
export type ToWorker = { readonly midtoken: "claim" } | { readonly midtoken: "stay-awake" };
