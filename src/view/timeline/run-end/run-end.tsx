/** Below the text of a run, or in place of a text that is empty: how the run ended, what each mod did, and what to do next. */
import { memo } from "react";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { Icon } from "../../ui/icon.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { mayHaveAnswerCards } from "../may-have-cards.ts";
import type { Authorship } from "../ribbon/ribbon-cells.ts";
import { hasMarkedWord, modSentences } from "./mod-sentences.ts";
import { clickAnyWordHint, runEndLabels } from "./run-end-labels.ts";
import "./run-end.css";

const AnswerCards = lazyPart({
  part: "Structured output",
  load: () => import("../answer-card.tsx"),
  component: "AnswerCards",
});

interface RunEndProps {
  readonly trace: TraceModel;
  /** The authorship of the whole run. */
  readonly authorship: Authorship;
  readonly failure: string | null;
  readonly interrupted: boolean;
  readonly canRun: boolean;
  /** Shown after the sentences about the mods. */
  readonly below?: React.ReactNode;
}

export function RunEndNotice({ trace, authorship, failure, interrupted, canRun, below }: RunEndProps) {
  const { finished, request, outputTokens, tokens } = trace;
  const hasAnswers = outputTokens.some((index) => tokens.kind[index] === "moved");
  const end = { finished, request, failure, interrupted, length: outputTokens.length, hasAnswers, canRun };
  const words = runEndLabels(end);
  if (!words) return null;
  const { title, detail, next, isError } = words;
  return (
    <>
      {mayHaveAnswerCards(trace) && <AnswerCards trace={trace} version={trace.version} />}
      <section className="run-end" aria-label="End of the run" data-error={isError}>
        <p className="run-end-title">
          {isError && <Icon name="warning" />}
          {title}
        </p>
        {detail !== null && <p className="run-end-detail">{detail}</p>}
        <ModSentences trace={trace} authorship={authorship} />
        {below}
        {next !== clickAnyWordHint && <MarkedWordHint trace={trace} authorship={authorship} />}
        {next !== null && <p className="run-end-next">{next}</p>}
      </section>
    </>
  );
}

interface WholeTraceProps {
  readonly trace: TraceModel;
  readonly authorship: Authorship;
}

// Opening a panel draws the notice again. These two parts read every token and record, so they are drawn again only for another
// trace or authorship.

const ModSentences = memo(function ModSentences({ trace, authorship }: WholeTraceProps) {
  return modSentences(trace, authorship).map((sentence, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the mods of a run never change places
    <p key={place}>{sentence}</p>
  ));
});

const MarkedWordHint = memo(function MarkedWordHint({ trace }: WholeTraceProps) {
  return hasMarkedWord(trace) && <p>Click any marked word to see why it is marked.</p>;
});
