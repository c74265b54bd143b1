/** Watches a live run: finds the page that shares it, and shows what comes as a run in progress. Runs nothing and saves nothing. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { createUpdateScheduler } from "../../../view/ui/next-frame.ts";
import type { Connection } from "../../live/connection.ts";
import { splitIntoFrames } from "../../live/framing.ts";
import { createWatcherInbox, type Inbox } from "../../live/inbox.ts";
import { createWatcherProof, newNonce, verifySharerProof } from "../../live/proof.ts";
import { LIVE_VERSION, serializeMessage, type WatcherMessage } from "../../live/protocol.ts";
import { createSharerMessageReader } from "../../live/watching.ts";
import type { RunState } from "../store/run-store.ts";
import { createWatchedRunFeed, type WatchedRunFeed } from "./shown-live.ts";

/** The state of the watching. */
export type WatchState =
  | { readonly is: "looking" | "watching" }
  /** "stopped": the sharer stopped. "full": as many watch as may. "lost": the other end is gone. */
  | { readonly is: "over"; readonly why: "stopped" | "full" | "lost" }
  | { readonly is: "failed"; readonly error: Error };

export interface RunWatchHandle {
  readonly state: StoreApi<WatchState>;
  /** Looks once more for the page that shares it. */
  again(): void;
  stop(): void;
}

interface WatchOptions {
  readonly room: string;
  /** Shows what comes. */
  readonly run: StoreApi<RunState>;
  /** @throws LiveError if nobody shares it. */
  readonly join: (room: string, signal: AbortSignal) => Promise<Connection>;
  readonly frame?: ReturnType<typeof createUpdateScheduler>;
}

const errorOf = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

export function watchRun({ room, run, join, frame = createUpdateScheduler() }: WatchOptions): RunWatchHandle {
  const state = createStore<WatchState>(() => ({ is: "looking" }));
  let stop = new AbortController();
  const look = async () => {
    const own = stop;
    const shown = createWatchedRunFeed(run, frame);
    const end = (next: WatchState) => {
      if (own.signal.aborted) return;
      shown.interrupt();
      state.setState(next, true);
      own.abort();
    };
    try {
      const connection = await join(room, own.signal);
      if (own.signal.aborted) return connection.cut();
      const inbox = watchConnection(connection, room, { shown, end });
      own.signal.addEventListener("abort", () => {
        inbox.stop();
        connection.cut();
      });
      if (!own.signal.aborted) state.setState({ is: "watching" }, true);
    } catch (cause) {
      end({ is: "failed", error: errorOf(cause) });
    }
  };
  void look();
  return {
    state,
    again() {
      stop.abort();
      stop = new AbortController();
      state.setState({ is: "looking" }, true);
      void look();
    },
    stop: () => stop.abort(),
  };
}

interface ConnectionOptions {
  readonly shown: WatchedRunFeed;
  /** Called when nothing more is watched. */
  readonly end: (next: WatchState) => void;
}

/** Greets the sharer and reads what it sends. */
function watchConnection(connection: Connection, room: string, { shown, end }: ConnectionOptions): Inbox {
  const subject = { room, binding: connection.binding, nonce: newNonce() };
  const say = (message: WatcherMessage) => {
    for (const each of splitIntoFrames(serializeMessage(message))) connection.send(each);
  };
  const read = createSharerMessageReader(
    { ...shown.sink, over: (why) => end({ is: "over", why }) },
    (proof) => verifySharerProof(proof, subject),
  );
  const inbox = createWatcherInbox({
    read,
    confirm: (messages) => say({ type: "taken", messages }),
    fail: (cause) => end({ is: "failed", error: errorOf(cause) }),
    closed: () => end({ is: "over", why: "lost" }),
  });
  connection.listen(inbox);
  say({ type: "watch", live: LIVE_VERSION, nonce: subject.nonce, proof: createWatcherProof(subject) });
  return inbox;
}
