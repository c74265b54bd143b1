/** Shown in the ribbon's place while a run waits for its model or for the compiler: how far it is, and a button that calls the run off. */
import { useStore } from "zustand";
import { Button } from "../../ui/button.tsx";
import { useStores } from "../store/stores.ts";
import { loadingWords } from "./loading-words.ts";
import "./start-progress.css";

/** Shows nothing unless a run waits. */
export function StartProgress() {
  const { model, run } = useStores();
  const { status, cancel } = useStore(model);
  const isWaiting = useStore(run, (state) => state.status === "starting");
  const compiling = useStore(run, (state) => state.compiling);
  if (!isWaiting) return null;
  if (status.type === "loading") {
    const { doing, figures, share } = loadingWords(status);
    return (
      <Waiting label="Loading the model" doing={doing} figures={figures} share={share} onCancel={cancel} />
    );
  }
  if (compiling === null) return null;
  const { stop } = run.getState();
  return (
    <Waiting label="Compiling" doing={`Compiling ${compiling} …`} figures="" share={null} onCancel={stop} />
  );
}

interface WaitingProps {
  readonly label: string;
  readonly doing: string;
  readonly figures: string;
  /** From 0 to 1; null where it is not known. */
  readonly share: number | null;
  readonly onCancel: () => void;
}

function Waiting({ label, doing, figures, share, onCancel }: WaitingProps) {
  return (
    <section className="start-progress" aria-label={label}>
      <p>
        <strong>{doing}</strong> <span>{figures}</span>
      </p>
      <Button onClick={onCancel}>Cancel</Button>
      <progress aria-label={label} {...(share !== null && { value: share })} />
    </section>
  );
}
