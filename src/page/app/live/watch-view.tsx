/** The page of a link to a live run: what is shown of a shared run, while it is made elsewhere. Nothing is run. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { messageOf } from "../../../core/base/message-of.ts";
import { shownAuthorName } from "../../../core/trace/file/maker.ts";
import { Button } from "../../../view/ui/button.tsx";
import { readWatchedRoom } from "../../live/watch-link.ts";
import type { LinkViewProps } from "../features/page-feature.ts";
import { UnreadLinkPage } from "../share/front-page.tsx";
import { RecordedBy } from "../share/recorded-by.tsx";
import { SharedRun, type SharedRunStore } from "../share/shared-run.tsx";
import { createRunStore } from "../store/run-store.ts";
import { joinRoom } from "./join-room.ts";
import { type WatchState, watchRun } from "./watch-run.ts";
import "./share-live.css";

export function LinkView({ page, hash, leave }: LinkViewProps) {
  const [room] = useState(() => {
    try {
      return { is: readWatchedRoom(hash) };
    } catch (cause) {
      return { problem: messageOf(cause) };
    }
  });
  return room.is === undefined ? (
    <UnreadLinkPage page={page}>
      <h2>This link cannot be opened</h2>
      <p role="alert">{room.problem}</p>
      <ToPlayground />
    </UnreadLinkPage>
  ) : (
    <Watched room={room.is} page={page} leave={leave} />
  );
}

function Watched({ room, page, leave }: Omit<LinkViewProps, "hash"> & { readonly room: string }) {
  const [run] = useState(() => createRunStore(null));
  const [watched] = useState(() => watchRun({ room, run, join: joinRoom }));
  useEffect(() => {
    addEventListener("pagehide", watched.stop);
    return () => {
      removeEventListener("pagehide", watched.stop);
      watched.stop();
    };
  }, [watched]);
  const state = useStore(watched.state);
  const isShown = useStore(run, ({ status }) => status !== "empty");
  const isEnded = useStore(run, ({ status }) => status === "finished" || status === "failed");
  if (isShown) {
    const heading = <Standing state={state} run={run} isEnded={isEnded} onAgain={watched.again} />;
    return <SharedRun page={page} run={run} leave={leave} heading={heading} onReadOn={null} />;
  }
  const { title, text } = state.is === "watching" ? waiting : words(state);
  const isBusy = state.is === "looking" || state.is === "watching";
  return (
    <UnreadLinkPage page={page} isBusy={isBusy}>
      <h2>{title}</h2>
      <p role={isBusy ? "status" : "alert"}>{text}</p>
      <ToPlayground onAgain={isBusy ? null : watched.again} />
    </UnreadLinkPage>
  );
}

function ToPlayground({ onAgain = null }: { onAgain?: (() => void) | null }) {
  return (
    <p className="fault-actions">
      {onAgain && (
        <Button weight="primary" onClick={onAgain}>
          Try again
        </Button>
      )}
      <a className="button" href="./#">
        Open the playground
      </a>
    </p>
  );
}

interface StandingProps {
  readonly state: WatchState;
  readonly run: SharedRunStore;
  /** Whether the run that is shown has ended. */
  readonly isEnded: boolean;
  readonly onAgain: () => void;
}

/** The banner above a run. */
function Standing({ state, run, isEnded, onAgain }: StandingProps) {
  const { title, text } = words(state);
  // The request comes after the run is shown, and grows in place.
  const request = useStore(run, ({ trace }) => trace.request);
  const isMade = state.is === "watching" && !isEnded;
  const saysNext = state.is === "watching" && isEnded;
  const isOver = state.is === "over" || state.is === "failed";
  return (
    <span className="live-standing" role="status">
      {state.is === "watching" && <span className="live-dot" aria-hidden="true" />}
      <strong>{title}.</strong>{" "}
      {(isMade || shownAuthorName(request) !== null) && (
        <>
          Made
          <RecordedBy trace={{ request }} otherwise=" by someone else" />
          {isMade ? " as you watch" : ""}.{" "}
        </>
      )}
      {saysNext ? "This run has ended; the next run appears here. Nothing runs on this device." : text}{" "}
      {isOver && (
        <Button weight="quiet" onClick={onAgain}>
          Try again
        </Button>
      )}
    </span>
  );
}

/** Before the first run. */
const waiting = {
  title: "Waiting for a run",
  text: "Nothing has been run since sharing began. The next run appears here when it starts. Nothing runs on this device.",
};

function words(state: WatchState): { readonly title: string; readonly text: string } {
  switch (state.is) {
    case "looking":
      return { title: "Looking for the live run", text: "Connecting …" };
    case "watching":
      return { title: "Live", text: "Nothing runs on this device." };
    case "failed":
      return { title: "This live run cannot be watched", text: state.error.message };
    case "over":
      return { title: "No longer live", text: overSentences[state.why] };
  }
}

const overSentences = {
  stopped: "The person who shared this run stopped sharing.",
  full: "This live run already has the maximum number of watchers. Try again later.",
  lost: "The page that shared this run was closed, or the connection broke.",
} as const;
