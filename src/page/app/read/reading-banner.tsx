/** The banner above a recorded run while it is read: the progress, the actions that wait for its end, and Stop. */
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { Button } from "../../../view/ui/button.tsx";
import { ProgressLine } from "../../../view/ui/share-done.tsx";
import type { RunReadingProgress } from "../store/reading-run.ts";
import type { RunState } from "../store/run-store.ts";
import "../../../view/ui/banner.css";
import "./reading-banner.css";

interface ReadingBannerProps {
  readonly run: StoreApi<RunState>;
  /** Present if reading was stopped and can be continued. */
  readonly onReadOn: (() => void) | null;
}

export function ReadingBanner({ run, onReadOn }: ReadingBannerProps) {
  const reading = useStore(run, (state) => state.reading);
  return reading && <Banner run={run} reading={reading} onReadOn={onReadOn} />;
}

function Banner({ run, reading, onReadOn }: ReadingBannerProps & { readonly reading: RunReadingProgress }) {
  const done = useStore(reading.share, (share) => share.done);
  const isShown = useStore(run, (state) => state.status === "reading");
  if (done === null) return null;
  return (
    <section className="banner reading-banner" aria-label="Reading the run" data-shown={isShown}>
      <div>
        <ProgressLine what={reading.what} share={done} />
        <p className="reading-note">
          {isShown
            ? "The part read so far is shown. Saving, sharing and forking are available once the rest is read."
            : "None of the code in this run is executed."}
        </p>
      </div>
      {onReadOn ? (
        <Button onClick={onReadOn}>Continue reading</Button>
      ) : (
        <Button onClick={reading.stop}>Stop</Button>
      )}
    </section>
  );
}
