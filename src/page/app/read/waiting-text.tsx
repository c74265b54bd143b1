/** In place of the text until a run writes its first word: what the run does now, how far it is, and how to cancel it. */
import { useStore } from "zustand";
import { promptProgress } from "../../../core/trace/model/prompt-progress.ts";
import { Button } from "../../../view/ui/button.tsx";
import { useStores } from "../store/stores.ts";
import { statusSentence } from "./run-status.ts";
import "./waiting-text.css";

/** Nothing unless a run is being started or reads its prompt. Appears after a moment: most prompts are read sooner. */
export function WaitingText() {
  const { run } = useStores();
  const state = useStore(run);
  const { status, trace, stop } = state;
  if (status === "starting") return <p className="waiting-text">{statusSentence(state)}</p>;
  if (status !== "running" || trace.tokens.text.length > 0) return null;
  const progress = promptProgress(trace);
  const isPartRead = progress !== null && progress.read > 0;
  return (
    <div className="waiting-text">
      <p>{statusSentence(state)}</p>
      <progress
        aria-label="How much of the prompt the model has read"
        {...(isPartRead && { max: progress.total, value: progress.read })}
      />
      <p className="waiting-next">The text will appear here once the model has read the prompt.</p>
      <Button onClick={stop}>Cancel</Button>
    </div>
  );
}
