/** The keys that hold a run, take it step by step, and play it back. */
import { moved } from "../timeline/playback/playback.ts";
import type { KeyRow } from "./key-row.ts";
import { playbackOf } from "./store/run-store.ts";

export const controlKeys: readonly KeyRow[] = [
  {
    group: "Run",
    keys: [" "],
    isLetter: true,
    does: "Pause or resume the run, or its playback",
    act({ run }) {
      const { status, pause, resume, play } = run.getState();
      if (status === "paused") resume();
      else if (status === "running") pause();
      else return playbackOf(run.getState()) !== null && play();
      return true;
    },
  },
  {
    group: "Run",
    keys: ["."],
    isLetter: true,
    does: "Write one more token",
    act({ run }) {
      const { status, stepOnce, changePlayback } = run.getState();
      if (status === "running" || status === "paused") stepOnce();
      else if (playbackOf(run.getState())) changePlayback((now) => moved(now, 1));
      else return false;
      return true;
    },
  },
  {
    group: "Run",
    inPlayground: true,
    keys: ["e"],
    isLetter: true,
    does: "Go on to the next event or answer of a mod",
    act({ run }) {
      const { status, stepEvent } = run.getState();
      if (status !== "running" && status !== "paused") return false;
      stepEvent();
      return true;
    },
  },
  {
    group: "Run",
    inPlayground: true,
    keys: ["b"],
    isLetter: true,
    does: "Breakpoints: where runs pause by themselves",
    act({ actions }) {
      actions.breakpoints?.();
      return actions.breakpoints !== undefined;
    },
  },
  {
    group: "Run",
    keys: ["r"],
    isLetter: true,
    does: "Play the run event by event; Esc shows all of it again",
    act: ({ run }) => run.getState().play(),
  },
  {
    group: "Run",
    keys: [","],
    isLetter: true,
    does: "In the playback: one event back; . goes on by one",
    act({ run }) {
      if (!playbackOf(run.getState())) return false;
      run.getState().changePlayback((now) => moved(now, -1));
      return true;
    },
  },
];
