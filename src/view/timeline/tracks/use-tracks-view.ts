/**
 * The part of a run that the tracks show, and its description for the overview. A view that was chosen for another run is
 * ignored.
 */
import { useCallback, useMemo, useState } from "react";
import type { TokenRange } from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { centreViewAtToken, tokensIn } from "./track-axis.ts";
import { type TracksView, wholeRunView } from "./tracks-view.ts";

interface ShownTracks {
  readonly shown: TracksView;
  /** The tokens in view; null for all of them. */
  readonly tokens: TokenRange | null;
  readonly onShow: (shown: TracksView) => void;
  /** Moves the view so that a token is in its middle. */
  readonly onCentre: (token: number) => void;
}

export function useTracksView(trace: TraceModel, running: boolean): ShownTracks {
  const [tracks, setTracks] = useState({ trace, shown: wholeRunView });
  const shown = tracks.trace === trace ? tracks.shown : { ...tracks.shown, view: null };
  const { axis, view } = shown;
  const onShow = useCallback((next: TracksView) => setTracks({ trace, shown: next }), [trace]);
  const onCentre = useCallback(
    (token: number) =>
      view && onShow({ axis, view: centreViewAtToken(trace, { axis, view }, token, running) }),
    [trace, axis, view, running, onShow],
  );
  const tokens = useMemo(() => view && tokensIn(trace, axis, view), [trace, axis, view]);
  return { shown, tokens, onShow, onCentre };
}
