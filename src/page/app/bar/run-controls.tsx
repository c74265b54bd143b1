/** Run, Pause, Step, Stop and the breakpoints. The controls keep their places, so that the pointer finds them. */
import { useStore } from "zustand";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { BreakpointsButton } from "../control/breakpoints-button.tsx";
import { useStores } from "../store/stores.ts";

interface RunControlsProps {
  readonly onRun: () => void;
  readonly onBreakpoints: () => void;
}

export function RunControls({ onRun, onBreakpoints }: RunControlsProps) {
  const { run } = useStores();
  const { status, pause, resume, stepOnce, stepEvent, stop } = useStore(run);
  const busy = status === "starting" || status === "running" || status === "paused";
  return (
    <div className="run-controls">
      {busy ? (
        <Button weight="primary" icon="stop" title="Stop (Esc)" onClick={stop}>
          Stop
        </Button>
      ) : (
        <Button weight="primary" icon="play" title="Run (Ctrl Enter, ⌘ Enter on a Mac)" onClick={onRun}>
          Run
        </Button>
      )}
      {status === "paused" ? (
        <IconButton icon="play" label="Resume" word="Resume" onClick={resume} />
      ) : (
        <IconButton icon="pause" label="Pause" word="Pause" disabled={status !== "running"} onClick={pause} />
      )}
      <IconButton
        icon="step"
        label="Step: write one token"
        word="Step"
        disabled={status !== "running" && status !== "paused"}
        onClick={stepOnce}
      />
      <IconButton
        icon="stepEvent"
        label="Step: continue to the next event or reply of a mod"
        word="Next event"
        disabled={status !== "running" && status !== "paused"}
        onClick={stepEvent}
      />
      <BreakpointsButton onOpen={onBreakpoints} />
    </div>
  );
}
