/** The instruct model that the page can suggest, as soon as the list of models has arrived. */
import { useEffect, useState } from "react";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import { fastestLoadingInstructModel } from "./model-kind.ts";
import { useStores } from "./stores.ts";

export function useInstructModel(): CatalogEntry | null {
  const { engine } = useStores();
  const [found, setFound] = useState<CatalogEntry | null>(null);
  useEffect(() => {
    let isGone = false;
    engine.listModels().then(
      (entries) => !isGone && setFound(fastestLoadingInstructModel(entries)),
      // The model picker reports an error in the list of models; here nothing is offered then.
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [engine]);
  return found;
}
