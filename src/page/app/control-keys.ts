/** The keys that hold a run, take it step by step, and play it back. */
import { movedAndPaused } from "../../view/timeline/playback/playback.ts";
import { actOfPageAction, type KeyBinding } from "./key-row.ts";
import { playbackOf } from "./store/run-store.ts";

export const runControlKeys = {
  pause: {
    keys: [" "],
    isLetter: true,
    act({ run }) {
      const { status, pause, resume, play } = run.getState();
      if (status === "paused") resume();
      else if (status === "running") pause();
      else return playbackOf(run.getState()) !== null && play();
      return true;
    },
  },
  writeOne: {
    keys: ["."],
    isLetter: true,
    act({ run }) {
      const { status, stepOnce, changePlayback } = run.getState();
      if (status === "running" || status === "paused") stepOnce();
      else if (playbackOf(run.getState())) changePlayback((now) => movedAndPaused(now, 1));
      else return false;
      return true;
    },
  },
  nextEvent: {
    keys: ["e"],
    isLetter: true,
    act({ run }) {
      const { status, stepEvent } = run.getState();
      if (status !== "running" && status !== "paused") return false;
      stepEvent();
      return true;
    },
  },
  breakpoints: {
    keys: ["b"],
    isLetter: true,
    act: actOfPageAction("breakpoints"),
  },
  play: {
    keys: ["r"],
    isLetter: true,
    act: ({ run }) => run.getState().play(),
  },
  back: {
    keys: [","],
    isLetter: true,
    act({ run }) {
      if (!playbackOf(run.getState())) return false;
      run.getState().changePlayback((now) => movedAndPaused(now, -1));
      return true;
    },
  },
} as const satisfies Readonly<Record<string, KeyBinding>>;
