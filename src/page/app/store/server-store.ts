/**
 * The model server of the user: its address, and its key, which stays in this tab, or in this browser if the user asks for that.
 * The key is no setting: workspace files, links, traces and exports never contain it.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { ServerAccess } from "../../../core/base/server-access.ts";
import type { Session } from "../../../runtime/session/page-side/session.ts";
import type { Storages } from "./persist.ts";
import type { StorageTroubleReporter } from "./storage-trouble.ts";

export interface ServerState {
  /** The only server that models may be asked of; null for none. */
  readonly access: ServerAccess | null;
  /** Whether the key is saved in this browser, and not only in this tab. */
  readonly isRemembered: boolean;
  use(access: ServerAccess, isRemembered: boolean): void;
}

const key = "midtoken.server.v1";

/** Tells the session the server, now and after each change. */
export function createServerStore(
  { browser, tab }: Storages,
  session: Pick<Session, "setServerAccess">,
  trouble: StorageTroubleReporter,
): StoreApi<ServerState> {
  const write = trouble.writer();
  const remembered = read(browser);
  const access = read(tab) ?? remembered;
  if (access) session.setServerAccess(access);
  return createStore<ServerState>()((set) => ({
    access,
    isRemembered: !!remembered?.key,
    use(access, isRemembered) {
      set({ access, isRemembered });
      session.setServerAccess(access);
      write(() => {
        tab.setItem(key, JSON.stringify(access));
        // The address is no secret: a new tab finds the server, and asks for the key.
        browser.setItem(key, JSON.stringify(isRemembered ? access : { ...access, key: undefined }));
      });
    },
  }));
}

function read(storage: Storage): ServerAccess | null {
  try {
    const { url, key: secret, serverDraws, acceptRamCache } = JSON.parse(storage.getItem(key) ?? "{}");
    if (typeof url !== "string") return null;
    return {
      url,
      key: typeof secret === "string" ? secret : undefined,
      ...((serverDraws === false || serverDraws === "always") && { serverDraws }),
      ...(acceptRamCache === true && { acceptRamCache }),
    };
  } catch {
    // Without storage, the form asks for the server again after a reload.
    return null;
  }
}
