/** The text with its marks, the sentence above it and the line below it. */
import type { ReactNode } from "react";
import { mayHaveAnswerCards } from "../../view/timeline/may-have-cards.ts";
import { TokenRibbon } from "../../view/timeline/ribbon/ribbon.tsx";
import { shouldHideSameMarks } from "../../view/timeline/ribbon/ribbon-cells.ts";
import { lazyPart } from "../../view/ui/lazy-part.tsx";
import { StatusLine } from "./status-line.tsx";
import type { RunViewProps } from "./view-props.ts";

const AnswerCards = lazyPart({
  part: "Structured output",
  load: () => import("../../view/timeline/answer-card.tsx"),
  component: "AnswerCards",
});

const FoldedTokenRibbon = lazyPart({
  part: "The reasoning view",
  load: () => import("../../view/timeline/ribbon/folded-ribbon.tsx"),
  component: "FoldedTokenRibbon",
});

/** Loaded after the text, so that the import of the element stays small. */
const SummaryBar = lazyPart({
  part: "The summary",
  load: () => import("../../view/timeline/summary-bar.tsx"),
  component: "SummaryBar",
});

export function TextView({ tools, ...run }: RunViewProps & { readonly tools?: ReactNode }) {
  const { state, trace, running, followed, authorship, shade, fold, onSelect } = run;
  const ribbon = {
    trace,
    running,
    shade,
    onSelect,
    version: state.version,
    selection: state.selection,
    folded: fold,
    hidesSame: shouldHideSameMarks(authorship),
    below: mayHaveAnswerCards(trace) && <AnswerCards trace={trace} version={followed} />,
  };
  const text = <TokenRibbon {...ribbon} />;
  return (
    <div className="timeline-text">
      <div className="timeline-head" part="summary">
        <SummaryBar
          trace={trace}
          authorship={authorship}
          onSelect={onSelect}
          selection={state.selection}
          version={followed}
          placeholder={<div className="summary" />}
        />
        {tools}
      </div>
      <div className="timeline-words" part="text">
        {trace.request?.reasoning ? <FoldedTokenRibbon {...ribbon} placeholder={text} /> : text}
      </div>
      <StatusLine state={state} authorship={authorship} />
    </div>
  );
}
