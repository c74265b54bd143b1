/**
 * The user's access token of the hub, for gated and private models. The token stays in this tab, or in this browser if the user
 * asks for that. It is no setting: workspace files, links, traces and exports never contain it.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import { type HubAccess, parseHubToken } from "../../../core/base/hub-token.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import type { Session } from "../../../runtime/session/page-side/session.ts";
import type { Storages } from "./persist.ts";
import type { StorageTroubleReporter } from "./storage-trouble.ts";

export interface HubTokenState {
  /** As the user typed it; empty for none. */
  readonly token: string;
  /** Whether the token is saved in this browser, and not only in this tab. */
  readonly isRemembered: boolean;
  /** The access that downloads send to the hub; null without a usable token. */
  readonly access: HubAccess | null;
  /** Why the token cannot be used; null for no token, and for a usable one. */
  readonly problem: string | null;
  change(token: string, isRemembered: boolean): void;
}

const key = "midtoken.hub-token.v1";

export function createHubTokenStore(
  { browser, tab }: Storages,
  trouble: StorageTroubleReporter,
): StoreApi<HubTokenState> {
  const write = trouble.writer();
  const remembered = browser.getItem(key);
  const first = tab.getItem(key) ?? remembered ?? "";
  return createStore<HubTokenState>()((set) => ({
    ...judged(first),
    isRemembered: remembered !== null,
    change(token, isRemembered) {
      set({ ...judged(token), isRemembered });
      write(() => {
        save(tab, isRemembered ? "" : token);
        save(browser, isRemembered ? token : "");
      });
    },
  }));
}

function judged(token: string): Pick<HubTokenState, "token" | "access" | "problem"> {
  if (token === "") return { token, access: null, problem: null };
  try {
    return { token, access: parseHubToken(token), problem: null };
  } catch (error) {
    return { token, access: null, problem: messageOf(error) };
  }
}

function save(storage: Storage, token: string): void {
  if (token === "") storage.removeItem(key);
  else storage.setItem(key, token);
}

/** Hands the token to the engine, now and at each change. */
export function followHubToken(
  hubToken: StoreApi<HubTokenState>,
  session: Pick<Session, "setHubAccess">,
): void {
  const { access } = hubToken.getState();
  if (access) session.setHubAccess(access);
  hubToken.subscribe((now, before) => {
    if (now.access !== before.access) session.setHubAccess(now.access);
  });
}
