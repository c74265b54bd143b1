/** A line below the text with the state of the run and the number of tokens. */
import type { Authorship } from "../../view/timeline/ribbon/ribbon-cells.ts";
import { formatRunMetrics, tokensAndRemovedText } from "../../view/timeline/run-metrics.ts";
import { useThrottledValue } from "../../view/timeline/use-at-most-every.ts";
import { isErrorSentence, statusSentence } from "./timeline-labels.ts";
import type { TimelineState } from "./timeline-state.ts";

interface StatusLineProps {
  readonly state: TimelineState;
  readonly authorship: Authorship;
}

/** Milliseconds between two announcements of progress to a screen reader. */
const announcedEveryMs = 2000;

export function StatusLine({ state, authorship }: StatusLineProps) {
  const { status, trace } = state;
  const sentence = statusSentence(state);
  const count = tokensAndRemovedText(authorship);
  const said = useThrottledValue(
    count === "" ? sentence : `${sentence} ${count}.`,
    status === "running" ? announcedEveryMs : 0,
  );
  return (
    <footer className="timeline-status" part="status">
      <p className={isErrorSentence(state) ? "timeline-error" : undefined}>{sentence}</p>
      {trace && <p className="timeline-figures">{formatRunMetrics(trace, authorship)}</p>}
      <output className="visually-hidden" aria-live="polite">
        {said}
      </output>
    </footer>
  );
}
