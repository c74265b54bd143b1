/** The text of a run whose model thinks first, with that folded away. */
import { Ribbon, type RibbonProps } from "./ribbon.tsx";
import { useFoldedReasoning } from "./use-folded-reasoning.tsx";

export function FoldedRibbon(props: RibbonProps) {
  return <Ribbon {...props} reasoning={useFoldedReasoning(props)} />;
}
