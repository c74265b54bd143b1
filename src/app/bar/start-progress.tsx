/** Shown in the ribbon's place while a run waits for its model: how far the model is, and a button that calls the run off. */
import { useStore } from "zustand";
import { useStores } from "../store/stores.ts";
import { Button } from "../ui/button.tsx";
import { loadingWords } from "./loading-words.ts";
import "./start-progress.css";

/** Shows nothing unless a run waits for its model. */
export function StartProgress() {
  const { model, run } = useStores();
  const { status, cancel } = useStore(model);
  const isWaiting = useStore(run, (state) => state.status === "starting");
  if (!isWaiting || status.type !== "loading") return null;
  const { doing, figures, share } = loadingWords(status);
  return (
    <section className="start-progress" aria-label="Loading the model">
      <p>
        <strong>{doing}</strong> <span>{figures}</span>
      </p>
      <Button onClick={cancel}>Cancel</Button>
      <progress aria-label="Model" {...(share !== null && { value: share })} />
    </section>
  );
}
