/** Whether this tab's runs are shared live, and who watches. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Watcher } from "../../live/sharing.ts";
import type { Stores } from "../store/stores.ts";

/** How watchers of other machines come. */
export type SignallingState =
  | { readonly is: "asking" }
  /** The host of this page has configured no signalling server. */
  | { readonly is: "none" }
  | { readonly is: "connecting" | "open" | "lost"; readonly server: string }
  | { readonly is: "failed"; readonly message: string };

/** The state while runs are shared. */
export interface LiveShare {
  /** The address under which they are watched. */
  readonly address: string;
  readonly watchers: readonly Watcher[];
  readonly reach: SignallingState;
  readonly stop: () => void;
}

export interface LiveState {
  readonly share: LiveShare | null;
}

const liveStores = new WeakMap<Stores, StoreApi<LiveState>>();

/** The state of live sharing of a page, made at the first call. */
export function liveStoreOf(stores: Stores): StoreApi<LiveState> {
  const made = liveStores.get(stores) ?? createStore<LiveState>(() => ({ share: null }));
  liveStores.set(stores, made);
  return made;
}
