/** The way to share runs while they are made: what watchers see, the link, who watches, and Stop. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { messageOf } from "../../../core/base/message-of.ts";
import { Button } from "../../../view/ui/button.tsx";
import { formatCount } from "../../../view/ui/format.ts";
import type { Watcher } from "../../live/sharing.ts";
import type { AuthorNameState } from "../share/maker-store.ts";
import { CopyLink, ShareActions } from "../share/share-actions.tsx";
import { AuthorNameField } from "../share/share-maker.tsx";
import { useStores } from "../store/stores.ts";
import { type LiveShare, liveStoreOf, type SignallingState } from "./live-store.ts";
import { startLiveSharing } from "./start-live.ts";
import "./share-live.css";

export function ShareLive({ maker }: { readonly maker: StoreApi<AuthorNameState> }) {
  const stores = useStores();
  const share = useStore(liveStoreOf(stores), (state) => state.share);
  const [problem, setProblem] = useState<string | null>(null);
  const start = () => {
    setProblem(null);
    startLiveSharing(stores).catch((cause: unknown) => {
      liveStoreOf(stores).getState().share?.stop();
      setProblem(`Sharing could not start: ${messageOf(cause)}`);
    });
  };
  return (
    <>
      <p className="share-lead">
        Others watch as the model writes. They see the prompt, the mods and every word of this tab’s last run
        and of later runs. They cannot change anything, nothing runs on their devices, and people who join
        late see the whole run.
      </p>
      {problem && (
        <p className="share-failed" role="alert">
          {problem}
        </p>
      )}
      <AuthorNameField maker={maker} about={share ? aboutNext : aboutFirst} />
      {share ? <Shared share={share} /> : <NotShared onStart={start} />}
    </>
  );
}

/** About a name that is given before runs are shared; `aboutNext` is for a name given while they are. */
const aboutFirst = "Public: anyone who watches can read the name, and runs that they save contain it.";
const aboutNext = `${aboutFirst} A change takes effect with the next run.`;

function NotShared({ onStart }: { onStart: () => void }) {
  return (
    <>
      <p className="share-note">
        Anyone with the link can watch until you stop sharing. Each time you share, you get a new link.
      </p>
      <ShareActions>
        <Button weight="primary" onClick={onStart}>
          Share live
        </Button>
      </ShareActions>
    </>
  );
}

function Shared({ share }: { share: LiveShare }) {
  const { address, watchers, reach, stop } = share;
  return (
    <>
      <p className="live-now">
        <span className="live-dot" aria-hidden="true" />
        <strong>Runs in this tab are being shared live.</strong> Sharing ends when you press Stop sharing, or
        when this tab is closed or reloaded.
      </p>
      <p className="live-address">{address}</p>
      <p className="share-note live-reach">{reachSentence(reach)}</p>
      <Watchers watchers={watchers} />
      <ShareActions>
        <Button weight="danger" icon="stop" onClick={stop}>
          Stop sharing
        </Button>
        <CopyLink link={{ address, length: address.length }} />
      </ShareActions>
    </>
  );
}

function Watchers({ watchers }: { watchers: readonly Watcher[] }) {
  const now = useNow();
  return (
    <section aria-label="People watching" className="live-watchers">
      <h3 aria-live="polite">
        {watchers.length === 0 ? "Nobody is watching yet" : `${formatCount(watchers.length)} watching`}
      </h3>
      {watchers.length === 0 ? (
        <p>Send the link, or open it in another tab.</p>
      ) : (
        <ul>
          {watchers.map(({ number, way, since }) => (
            <li key={number}>
              <span>Watcher {number}</span>
              <small>
                {way === "tabs" ? "in this browser" : "in another browser or on another machine"}, since{" "}
                <time dateTime={new Date(since).toISOString()}>{clock(since)}</time> (
                {forHowLong(now - since)})
              </small>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const clock = (ms: number): string =>
  new Date(ms).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });

function forHowLong(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "less than a minute";
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Milliseconds since 1970, a few times a minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function reachSentence(reach: SignallingState): string {
  const here = "Other tabs and windows of this browser can watch";
  switch (reach.is) {
    case "asking":
      return `${here}. Checking whether other machines can watch …`;
    case "none":
      return `${here}. Other machines cannot watch: this page has no signalling server. The local server has one: npm start -- --live.`;
    case "connecting":
      return `${here}. Connecting to ${reach.server}, so that other machines can watch …`;
    case "open":
      return `${here}, and so can other machines. ${reach.server} connects the machines but never receives the run, which is sent encrypted from this machine to theirs. Watchers can learn this machine’s network address, and you can learn theirs.`;
    case "lost":
      return `${here}. New watchers from other machines cannot join right now: ${reach.server} does not answer. This page keeps trying; people who already watch stay connected.`;
    case "failed":
      return `${here}. ${reach.message}`;
  }
}
