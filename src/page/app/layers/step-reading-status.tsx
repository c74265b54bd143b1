/** Stands above the table of layers: shows the progress of a reading, offers the next action, or says why the layers cannot be read. */

import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { quoteToken } from "../../../view/timeline/layers/layer-labels.ts";
import type { ShownStepLayers } from "../../../view/timeline/layers/layers-panel.tsx";
import { Button } from "../../../view/ui/button.tsx";
import type { Stores } from "../store/stores.ts";
import type { LayersQueryWithSpans } from "./layers-question.ts";
import type { StepReadingProgress } from "./layers-store.ts";
import { loadModelOfRun, type RunModelReadiness } from "./model-of-run.ts";
import { layersOpeningSentence } from "./opening-labels.ts";
import { recordedDifferenceSentence } from "./other-than-recorded.ts";

interface StepReadingStatusProps {
  readonly stores: Stores;
  readonly trace: TraceModel;
  readonly index: number | null;
  readonly asked: LayersQueryWithSpans | string | null;
  readonly progress: StepReadingProgress;
  readonly model: RunModelReadiness;
  /** The shown layers of the selected step, if there are any. */
  readonly shown: ShownStepLayers | null;
  readonly onRead: () => void;
  readonly onCancel: () => void;
}

export function StepReadingStatus(props: StepReadingStatusProps) {
  const { stores, trace, index, asked, progress, model, shown, onRead, onCancel } = props;
  if (index === null) {
    return (
      <p className="inspector-empty layers-none">
        {trace.tokens.text.length === 0
          ? "After a run, this panel shows what each layer of the model would have said."
          : "Choose a word to see what each layer of the model would have said in its place."}
      </p>
    );
  }
  if (progress.type === "failed" && progress.index === index)
    return (
      <Status isAlert words={`The layers of this step could not be read. ${progress.message}`}>
        <Button onClick={onRead}>Try again</Button>
      </Status>
    );
  if (progress.type === "reading" && (!shown || progress.opening))
    return (
      <Status
        words={
          progress.opening
            ? layersOpeningSentence(progress.opening)
            : `Reading the layers at ${nameOf(trace, index)} …`
        }
      >
        <Button weight="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </Status>
    );
  if (shown) {
    const words = recordedDifferenceSentence(trace, index, shown.ran.lines);
    return words === null ? null : <Status words={words} />;
  }
  if (typeof asked === "string") return <Status words={asked} />;
  if (model.type === "no") return <Status words={model.words} />;
  if (model.type === "load") {
    const load = () => void loadModelOfRun(stores, model.id).then((isReady) => isReady && onRead());
    return (
      <Status words={model.words}>
        <Button weight="primary" onClick={load}>
          Load {showInvisibleCharacters(model.id)} and look inside
        </Button>
      </Status>
    );
  }
  return (
    <Status
      words={`The model worked out ${nameOf(trace, index)} layer by layer. See what the model would have said if it had stopped at each layer. To do so, the model reads the text up to here again; the run does not change.`}
    >
      <Button weight="primary" onClick={onRead}>
        Look inside
      </Button>
    </Status>
  );
}

function nameOf({ tokens }: TraceModel, index: number): string {
  return quoteToken(tokens.text[index] ?? "");
}

interface StatusProps {
  readonly words: string;
  readonly isAlert?: boolean;
  readonly children?: React.ReactNode;
}

function Status({ words, isAlert = false, children }: StatusProps) {
  return (
    <div className="layers-status" role={isAlert ? "alert" : "status"}>
      <p>{words}</p>
      {children}
    </div>
  );
}
