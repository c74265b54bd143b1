/**
 * The model server of the user: its address, and its key, which stays in this tab, or in this browser if the user asks for that.
 * The key is no setting: workspace files, links, traces and exports never contain it.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { ServerAccess } from "../../../core/base/server-access.ts";
import type { Session } from "../../../runtime/session/page-side/session.ts";
import { asRecord, asString, type Storages, type StorageTrouble, troubleOf } from "./persist.ts";

export interface ServerState {
  /** The only server that models may be asked of; null for none. */
  readonly access: ServerAccess | null;
  /** The key is saved in this browser, and not in this tab alone. */
  readonly isRemembered: boolean;
  use(access: ServerAccess, isRemembered: boolean): void;
}

const key = "midtoken.server.v1";

export function createServerStore(
  { browser, tab }: Storages,
  onTrouble: StorageTrouble,
): StoreApi<ServerState> {
  const write = troubleOf(onTrouble);
  const remembered = read(browser);
  return createStore<ServerState>()((set) => ({
    access: read(tab) ?? remembered,
    isRemembered: remembered?.key !== undefined,
    use(access, isRemembered) {
      set({ access, isRemembered });
      write(() => {
        tab.setItem(key, JSON.stringify(access));
        // The address is no secret: a new tab finds the server, and asks for the key.
        browser.setItem(key, JSON.stringify(isRemembered ? access : { url: access.url }));
      });
    },
  }));
}

function read(storage: Storage): ServerAccess | null {
  const text = storage.getItem(key);
  try {
    const fields = asRecord(JSON.parse(text ?? "null"));
    const url = asString(fields?.url);
    const secret = asString(fields?.key);
    if (url === null) return null;
    return secret === null ? { url } : { url, key: secret };
  } catch {
    // The form asks for the server again.
    return null;
  }
}

/** Hands the server to the engine, now and at each change. */
export function followServer(server: StoreApi<ServerState>, session: Pick<Session, "setServerAccess">): void {
  const { access } = server.getState();
  if (access) session.setServerAccess(access);
  server.subscribe((now, before) => {
    if (now.access !== before.access) session.setServerAccess(now.access);
  });
}
