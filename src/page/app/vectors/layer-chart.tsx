/** How well each layer separates the two lists: a bar for each layer. The user chooses a layer by its bar. */
import { type CSSProperties, useId } from "react";
import type { LayerJudgement } from "../../../core/vectors/make-vector.ts";

interface LayerChartProps {
  readonly judged: readonly LayerJudgement[];
  readonly layer: number;
  /** The layer that was chosen for the user. */
  readonly chosen: number;
  readonly onChoose: (layer: number) => void;
}

/** In units of the picture, which is as wide as there is room. */
const height = 96;
const step = 20;

export function LayerChart({ judged, layer, chosen, onChoose }: LayerChartProps) {
  const id = useId();
  const width = judged.length * step;
  const last = judged.length - 1;
  return (
    <figure className="layer-chart" style={{ "--layers": judged.length } as CSSProperties}>
      <figcaption id={id}>
        How well each layer separates the held-out texts. Full bar: every “toward” text is above every “away”
        text. Empty bar: no better than chance
      </figcaption>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the slider below does the same by keys */}
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Bar chart with one bar for each layer; the slider below chooses a layer"
        onClick={({ clientX, currentTarget }) => {
          const { left, width: drawn } = currentTarget.getBoundingClientRect();
          onChoose(Math.max(0, Math.min(last, Math.floor(((clientX - left) / drawn) * judged.length))));
        }}
      >
        {judged.map(({ layer: at, area }) => {
          const tall = Math.max(2, (Math.max(0, area - 0.5) / 0.5) * (height - 4));
          return (
            <g key={at} data-chosen={at === layer}>
              <rect className="layer-chart-place" x={at * step} y={0} width={step} height={height} />
              <rect
                className="layer-chart-bar"
                x={at * step + 3}
                y={height - tall}
                width={step - 6}
                height={tall}
              />
            </g>
          );
        })}
      </svg>
      <div className="layer-chart-slider">
        <label htmlFor={`${id}-layer`}>Layer</label>
        <input
          id={`${id}-layer`}
          type="range"
          min={0}
          max={last}
          value={layer}
          aria-valuetext={`Layer ${layer}, from 0 to ${last}`}
          onChange={({ target }) => onChoose(target.valueAsNumber)}
        />
        <output htmlFor={`${id}-layer`}>
          {layer} (0 to {last}){layer === chosen ? ", recommended" : ""}
        </output>
        {layer !== chosen && (
          <button type="button" className="button button-quiet" onClick={() => onChoose(chosen)}>
            Back to layer {chosen}
          </button>
        )}
      </div>
    </figure>
  );
}
