/**
 * Replaces the text while a run waits for its model, for the layers of the model or for the compiler: the progress, and a
 * button that cancels the run.
 */
import type { ReactNode } from "react";
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { useStores } from "../store/stores.ts";
import { LoadingButtons } from "./loading-buttons.tsx";
import { loadingLabels, pausedDownloadLabels } from "./loading-labels.ts";
import { useLayersOpening } from "./use-opening.ts";
import "./start-progress.css";

/** Shows nothing unless a run waits. */
export function RunStartProgress() {
  const { model, run } = useStores();
  const { status } = useStore(model);
  const isWaiting = useStore(run, (state) => state.status === "starting");
  const compiling = useStore(run, (state) => state.compiling);
  const opening = useLayersOpening();
  const { stop } = run.getState();
  const cancel = <Button onClick={stop}>Cancel</Button>;
  if (opening) return <Waiting label="Preparing the layers" {...opening} buttons={cancel} />;
  if (!isWaiting) return null;
  if (status.type === "loading" || status.type === "paused") {
    const words = status.type === "loading" ? loadingLabels(status) : pausedDownloadLabels(status.files);
    return <Waiting label="Loading the model" {...words} buttons={<LoadingButtons />} />;
  }
  if (compiling === null) return null;
  const doing = `Compiling the mod ${compiling} …`;
  return <Waiting label="Compiling" doing={doing} metrics="" share={null} buttons={cancel} />;
}

interface WaitingProps {
  readonly label: string;
  readonly doing: string;
  readonly metrics: string;
  /** From 0 to 1; null if it is not known. */
  readonly share: number | null;
  readonly buttons: ReactNode;
}

function Waiting({ label, doing, metrics, share, buttons }: WaitingProps) {
  return (
    <section className="start-progress" aria-label={label}>
      <p>
        <strong>{doing}</strong> <span>{metrics}</span>
      </p>
      <div className="start-buttons">{buttons}</div>
      <progress aria-label={label} {...(share !== null && { value: share })} />
    </section>
  );
}
