/** Shares the runs of this tab live: the one that goes on or was made last, and each that follows, until it is stopped. */
import { messageOf } from "../../../core/base/message-of.ts";
import type { RoomCallbacks, SharerRoom } from "../../live/connection.ts";
import { createSharerKey } from "../../live/proof.ts";
import { createSharing } from "../../live/sharing.ts";
import { fetchSignallingConfig } from "../../live/signalling.ts";
import { createTabTransport } from "../../live/tabs.ts";
import { watchFragment } from "../../live/watch-link.ts";
import { authorNameToShare, createAuthorNameStore } from "../share/maker-store.ts";
import { pageLocks } from "../store/browser-storage.ts";
import type { RunState } from "../store/run-store.ts";
import type { Stores } from "../store/stores.ts";
import { type LiveShare, liveStoreOf, type SignallingState } from "./live-store.ts";
import { loadPeerTransport } from "./load-peers.ts";

export async function startLiveSharing(stores: Stores): Promise<void> {
  const { run, storages, trouble } = stores;
  const live = liveStoreOf(stores);
  if (live.getState().share) return;
  const key = createSharerKey();
  const { room } = key;
  const stopped = new AbortController();
  const change = (changed: Partial<LiveShare>) =>
    live.setState(({ share }) =>
      share && !stopped.signal.aborted ? { share: { ...share, ...changed } } : {},
    );
  const sharing = createSharing({ key, onWatchers: () => change({ watchers: sharing.watchers }) });
  const rooms: SharerRoom[] = [];
  const keep = (opened: SharerRoom) => {
    if (stopped.signal.aborted) opened.close();
    else rooms.push(opened);
  };

  // The name is fixed when a run begins: it stays the same for the run, whenever a watcher comes.
  const nameNow = () => authorNameToShare(createAuthorNameStore({ storages, trouble }).getState());
  const follow = (state: RunState, before: RunState | null) => {
    if (state.started && state.started !== before?.started) sharing.follow(state.started, nameNow());
    const isPaused = state.status === "paused" && state.id === state.started?.id;
    if (isPaused !== (before?.status === "paused")) sharing.setPaused(isPaused);
  };
  const unfollow = run.subscribe(follow);
  const stop = () => {
    if (stopped.signal.aborted) return;
    stopped.abort();
    unfollow();
    removeEventListener("pagehide", stop);
    sharing.stop();
    for (const { close } of rooms) close();
    live.setState({ share: null });
  };
  // Without this message, watchers would learn late that the page has gone.
  addEventListener("pagehide", stop);
  const address = location.href.replace(/[?#].*$/, "") + watchFragment(room);
  live.setState({ share: { address, watchers: [], reach: { is: "asking" }, stop } });
  follow(run.getState(), null);

  const tabs = createTabTransport({ locks: pageLocks() });
  keep(
    await tabs.open(room, { connection: (connection) => sharing.admit(connection, "tabs"), reachable() {} }),
  );
  const reach = (now: SignallingState) => change({ reach: now });
  try {
    const signalling = await fetchSignallingConfig();
    if (!signalling) return reach({ is: "none" });
    const server = new URL(signalling.url).host;
    reach({ is: "connecting", server });
    const end: RoomCallbacks = {
      connection: (connection) => sharing.admit(connection, "peers"),
      reachable: (isReachable) => reach({ is: isReachable ? "open" : "lost", server }),
    };
    const createPeers = await loadPeerTransport();
    if (!stopped.signal.aborted) keep(await createPeers(signalling).open(room, end));
  } catch (cause) {
    reach({ is: "failed", message: messageOf(cause) });
  }
}
