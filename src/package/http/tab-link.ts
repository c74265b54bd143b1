/**
 * The messages between a service worker and the tab that answers for it. The worker posts a request with a port; over this
 * port the response comes back piece by piece, each when the worker asks for it.
 *
 * Two locks show which tabs exist, and the browser releases them when a tab ends, for whatever reason: all tabs with an
 * engine wait for the leader's lock, and the worker waits for the lock of the tab that answers. The worker knows a tab by
 * the lock's name, because a lock's own `clientId` is not the id by which Chromium's service workers know a page.
 */
import { randomId } from "../../core/base/random-id.ts";

/** `scope`: the scope of the service worker's registration. */
export const leaderLockName = (scope: string): string => `midtoken.engine ${scope}`;
const tabLock = (scope: string): string => `midtoken.engine-tab ${scope} `;
/** @param clientId the id by which the service worker knows the page */
export const newTabLockName = (scope: string, clientId: string): string =>
  `${tabLock(scope)}${clientId} ${randomId()}`;
/** The page that holds this lock; null if the lock is not a tab's. */
export const clientOfLock = (name: string, scope: string): string | null =>
  name.startsWith(tabLock(scope)) ? (name.slice(tabLock(scope).length).split(" ")[0] ?? null) : null;

/** Path of the API below the scope. */
export const apiPath = "v1";

/** From the worker to the tab, with a port for the response. */
export interface TabRequest {
  readonly midtoken: "request";
  /** Name of the tab's lock. A page that serves more than once has several. */
  readonly lock: string;
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** From the worker, over the port: asks for the next piece of the body, or cancels. */
export type WorkerPortMessage = { readonly type: "pull" } | { readonly type: "cancel" };

/** From the tab, over the port: the head once, then a piece for each `pull`; `null` after the last one. */
export type TabPortMessage =
  | {
      readonly type: "head";
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
      readonly hasBody: boolean;
    }
  | { readonly type: "piece"; readonly bytes: Uint8Array<ArrayBuffer> | null }
  | { readonly type: "failed"; readonly message: string };

/**
 * To the worker: "claim" asks it to take over the open pages and to return this page's id over the port; "stay-awake" keeps
 * it running while a response is sent.
 */
export type ServiceWorkerCommand = { readonly midtoken: "claim" } | { readonly midtoken: "stay-awake" };
