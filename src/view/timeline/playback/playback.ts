/** The state of a playback: how much of the run is shown, and whether playing continues by itself. Plain data. */
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { formatCount } from "../../ui/format.ts";
import { maxPlaybackRecords, playbackStopOfRecord, recordCountsAtStops } from "./play-places.ts";

/** Speeds in events per second. */
export const playSpeeds = [1, 2, 5, 10, 30, 100] as const;

export type PlaySpeed = (typeof playSpeeds)[number];

export interface Playback {
  /** The run that is played. The playback ends when another run is shown. */
  readonly trace: TraceModel;
  readonly places: readonly number[];
  /** Place in `places`. */
  readonly at: number;
  readonly isPlaying: boolean;
  readonly speed: PlaySpeed;
}

/** Starts a playback at the selected token, or else at the run's beginning; null for a run with no records, or too many. */
export function openPlayback(trace: TraceModel, cursor: number | null): Playback | null {
  if (trace.records.length > maxPlaybackRecords) return null;
  const places = recordCountsAtStops(trace.records);
  if (places.length === 0) return null;
  const at = cursor === null ? 0 : placeOfToken({ trace, places }, cursor);
  return { trace, places, at: at === places.length - 1 ? 0 : at, isPlaying: true, speed: 10 };
}

/** Why a run cannot be played, and what to do instead, if `openPlayback` returned null. */
export function whyNotPlayed({ records }: Pick<TraceModel, "records">): string {
  if (records.length === 0) return "There is no run to play.";
  return `This run has ${formatCount(records.length)} events, but at most ${formatCount(maxPlaybackRecords)} can be played. Use the arrow keys.`;
}

/** The place at which the token is added. */
export function placeOfToken({ trace, places }: Pick<Playback, "trace" | "places">, token: number): number {
  return playbackStopOfRecord(places, trace.tokens.addedRecord[token] ?? 0);
}

/** Moves the playback by a number of places, and pauses it. */
export function movedAndPaused(playback: Playback, by: number): Playback {
  const at = Math.min(playback.places.length - 1, Math.max(0, playback.at + by));
  return { ...playback, at, isPlaying: false };
}

/** Plays or pauses; at the end of the run, begins again. */
export function togglePlayback(playback: Playback): Playback {
  const isAtEnd = playback.at === playback.places.length - 1;
  return { ...playback, at: isAtEnd ? 0 : playback.at, isPlaying: !playback.isPlaying };
}

/** Number of records that are shown. */
export function shownRecordCount({ places, at }: Playback): number {
  return places[at] ?? 0;
}
