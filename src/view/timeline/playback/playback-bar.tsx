/** The controls of the playback: forward and back, speed, pause, and a slider to any place of the run. */
import { useEffect } from "react";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { IconButton } from "../../ui/button.tsx";
import { formatCount } from "../../ui/format.ts";
import { movedAndPaused, type Playback, type PlaySpeed, playSpeeds, togglePlayback } from "./playback.ts";
import { describeLastRecord } from "./record-labels.ts";
import "./playback-bar.css";

interface PlaybackBarProps {
  readonly playback: Playback;
  /** The run as it was at the current place. */
  readonly played: TraceModel;
  readonly onChange: (change: (now: Playback) => Playback | null) => void;
}

/** The shortest time between two updates, in milliseconds. At higher speeds, several events are shown at once. */
const leastInterval = 33;

export function PlaybackBar({ playback, played, onChange }: PlaybackBarProps) {
  const { places, at, isPlaying, speed } = playback;
  const last = places.length - 1;
  useEffect(() => {
    if (!isPlaying) return;
    const interval = Math.max(leastInterval, 1000 / speed);
    const by = Math.max(1, Math.round((speed * interval) / 1000));
    const timer = setInterval(
      () =>
        onChange((now) => {
          const next = Math.min(now.places.length - 1, now.at + by);
          return { ...now, at: next, isPlaying: next < now.places.length - 1 };
        }),
      interval,
    );
    return () => clearInterval(timer);
  }, [isPlaying, speed, onChange]);
  const moveTo = (to: number) => onChange((now) => ({ ...now, at: to, isPlaying: false }));
  const what = describeLastRecord(played, played.records.at(-1));
  const where = `Event ${formatCount(at + 1)} of ${formatCount(places.length)}`;
  return (
    <section className="playback" aria-label="Playback">
      <div className="playback-buttons">
        <IconButton
          icon="previous"
          label="Previous event (,)"
          disabled={at === 0}
          onClick={() => onChange((now) => movedAndPaused(now, -1))}
        />
        <IconButton
          icon={isPlaying ? "pause" : "play"}
          label={isPlaying ? "Pause (space)" : "Play (space)"}
          onClick={() => onChange(togglePlayback)}
        />
        <IconButton
          icon="right"
          label="Next event (.)"
          disabled={at === last}
          onClick={() => onChange((now) => movedAndPaused(now, 1))}
        />
      </div>
      <input
        type="range"
        className="playback-place"
        aria-label="Position in the run"
        aria-valuetext={`${where}: ${what}`}
        min={0}
        max={last}
        step={1}
        value={at}
        onChange={({ target }) => moveTo(Number(target.value))}
      />
      <p className="playback-words">
        <span>{where}</span> {what}
      </p>
      <select
        className="field playback-speed"
        aria-label="Speed"
        value={speed}
        onChange={({ target }) => onChange((now) => ({ ...now, speed: Number(target.value) as PlaySpeed }))}
      >
        {playSpeeds.map((each) => (
          <option key={each} value={each}>
            {each} / s
          </option>
        ))}
      </select>
      <IconButton icon="close" label="Show the whole run (Esc)" onClick={() => onChange(() => null)} />
    </section>
  );
}
