/** The label for layers that are being opened, updated every tenth of a second. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { useStores } from "../store/stores.ts";
import { type LoadingLabels, layersOpeningLabels } from "./loading-labels.ts";

/** Null while no layers are being opened. */
export function useLayersOpening(): LoadingLabels | null {
  const { run } = useStores();
  const opening = useStore(run, (state) => state.opening);
  const modCount = useStore(run, (state) => state.modIds.length);
  const [, tick] = useState(0);
  const isOpening = opening !== null;
  useEffect(() => {
    if (!isOpening) return;
    const timer = setInterval(() => tick((count) => count + 1), 100);
    return () => clearInterval(timer);
  }, [isOpening]);
  return opening && layersOpeningLabels(opening, performance.now() - opening.startedMs, modCount);
}
