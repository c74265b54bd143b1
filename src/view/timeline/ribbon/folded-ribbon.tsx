/** The text of a run whose model thinks first, with the reasoning folded. */
import { Ribbon, type RibbonProps } from "./ribbon.tsx";
import { useFoldedReasoning } from "./use-folded-reasoning.tsx";

export function FoldedRibbon(props: RibbonProps) {
  return <Ribbon {...props} reasoning={useFoldedReasoning(props)} />;
}
