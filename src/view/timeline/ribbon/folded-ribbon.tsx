/** The text of a run whose model thinks first, with the reasoning folded. */
import { TokenRibbon, type TokenRibbonProps } from "./ribbon.tsx";
import { useFoldedReasoning } from "./use-folded-reasoning.tsx";

export function FoldedTokenRibbon(props: TokenRibbonProps) {
  return <TokenRibbon {...props} reasoning={useFoldedReasoning(props)} />;
}
