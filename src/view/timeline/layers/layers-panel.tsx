/** Draws the prediction of each layer of the model at the selected step. The page reads the layers. */
import { memo, type ReactNode } from "react";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { formatCount } from "../../ui/format.ts";
import { isPlacedByMod } from "./decided-marks.ts";
import {
  describeLayerDecision,
  describeLayerDivergence,
  type LayerSentence,
  quoteToken,
} from "./layer-labels.ts";
import { LayersCompared } from "./layers-compared.tsx";
import { LayersTable } from "./layers-table.tsx";
import { findLayerDivergence, type StepLayers } from "./step-layers.ts";
import "../../ui/empty-state.css";
import "./layers-panel.css";

/** The layers that were read at a step. */
export interface ShownStepLayers {
  /** Index of the token that came out at this step. */
  readonly index: number;
  readonly ran: StepLayers;
  /** The layers for the same tokens without steering; null if nothing was steered, or if these layers were not read. */
  readonly plain: StepLayers | null;
  /** The mods' changes of layers at this step: words by layer. */
  readonly acted: ReadonlyMap<number, string>;
}

interface LayersPanelProps {
  readonly trace: TraceModel;
  /** Null if no step was read yet. */
  readonly shown: ShownStepLayers | null;
  /** True while another step is being read and `shown` is still the previous step. */
  readonly isBusy: boolean;
  /** Above the table: the progress, or the next action. */
  readonly status: ReactNode;
  /** Buttons beside the sentence. */
  readonly tools: ReactNode;
  /** Content below the table. */
  readonly foot: ReactNode;
}

export const LayersPanel = memo(function LayersPanel(props: LayersPanelProps) {
  const { trace, shown, isBusy, status, tools, foot } = props;
  return (
    <section className="layers-panel" aria-label="What each layer would say" aria-busy={isBusy}>
      {shown && <Head trace={trace} shown={shown} tools={tools} />}
      {status}
      {shown && (
        <div className={isBusy ? "layers-shown layers-before" : "layers-shown"}>
          <Shown trace={trace} shown={shown} />
        </div>
      )}
      <footer className="layers-foot">
        {shown && <Legend count={shown.ran.lines.length} />}
        {foot}
      </footer>
    </section>
  );
});

const cameOut = ({ tokens }: TraceModel, index: number) => ({
  token: tokens.token[index] ?? -1,
  text: tokens.text[index] ?? "",
});

function Head({ trace, shown, tools }: { trace: TraceModel; shown: ShownStepLayers; tools: ReactNode }) {
  const { index, ran, plain } = shown;
  const came = cameOut(trace, index);
  const words = describeLayerDecision(ran, { ...came, isForced: isPlacedByMod(trace, index) });
  return (
    <header className="layers-head">
      <div>
        <h2>
          <span className="layers-token">{quoteToken(came.text)}</span>
          <span className="layers-place">
            token {formatCount(index + 1)} of {formatCount(trace.tokens.text.length)}
          </span>
        </h2>
        <Sentence {...words} />
        {plain && (
          <Sentence {...describeLayerDivergence(findLayerDivergence(ran.lines, plain.lines), ran, plain)} />
        )}
      </div>
      <div className="layers-tools">{tools}</div>
    </header>
  );
}

function Sentence({ stressed, rest }: LayerSentence) {
  return (
    <p>
      <strong>{stressed}</strong>
      {rest}
    </p>
  );
}

function Shown({
  trace,
  shown: { index, ran, plain, acted },
}: {
  trace: TraceModel;
  shown: ShownStepLayers;
}) {
  const came = cameOut(trace, index);
  return plain ? (
    <LayersCompared
      ran={ran}
      plain={plain}
      came={came}
      acted={acted}
      parting={findLayerDivergence(ran.lines, plain.lines)}
    />
  ) : (
    <LayersTable step={ran} came={came} acted={acted} />
  );
}

const shades = ["< 1%", "≥ 1%", "≥ 5%", "≥ 20%", "≥ 50%", "≥ 80%"];

function Legend({ count }: { count: number }) {
  return (
    <p className="layers-legend">
      <span className="layers-shades">
        probability
        {shades.map((words, shade) => (
          <span key={words} className={`said-${shade} layers-shade`}>
            {words}
          </span>
        ))}
      </span>
      <span>
        Each row shows what the model would say if it stopped at that layer. Layers are counted from 0. The
        top row is the last layer, {count - 1}: the model’s actual prediction.
      </span>
    </p>
  );
}
