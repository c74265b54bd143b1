/** The shown run as it was at the place of the playback; the whole run without a playback. */
import { useEffect, useMemo, useRef } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { selectToken } from "../../../core/trace/model/selection.ts";
import { placeOfToken, shownRecordCount } from "../../../view/timeline/playback/playback.ts";
import { createTracePrefixes } from "../../../view/timeline/playback/played.ts";
import { playbackOf, type RunState } from "../store/run-store.ts";

export function usePlayedRun(run: StoreApi<RunState>): RunState {
  const state = useStore(run);
  const playback = playbackOf(state);
  const { trace: whole, selection } = state;
  const showTo = useMemo(() => createTracePrefixes(whole), [whole]);
  const trace = playback ? showTo(shownRecordCount(playback)) : whole;
  /** The token that the playback selected: if another token is selected, the user selected it. */
  const own = useRef<number | null>(null);
  const place = playback?.at ?? null;
  const last = trace.tokens.text.length - 1;

  // Selects each new token.
  useEffect(() => {
    if (place === null || last < 0) return;
    own.current = last;
    const { selection: now, select } = run.getState();
    if (now?.cursor !== last) select(selectToken(last));
  }, [run, place, last]);

  // Moves the playback to a token that the user selects.
  const cursor = selection?.cursor ?? null;
  useEffect(() => {
    if (cursor === null || cursor === own.current) return;
    own.current = cursor;
    run.getState().changePlayback((now) => ({ ...now, at: placeOfToken(now, cursor), isPlaying: false }));
  }, [run, cursor]);

  const isThere = cursor === null || cursor <= last;
  return {
    ...state,
    playback,
    trace,
    version: playback ? trace.version : state.version,
    selection: isThere ? selection : null,
  };
}
