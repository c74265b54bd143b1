/**
 * Compares a step of a steered run with the same tokens without steering: a row for each layer, the last layer at the top, and
 * the layer from which on the two differ.
 */
import { memo } from "react";
import type { TraceLayerSays } from "../../../core/trace/format/format-layers.ts";
import { formatCount } from "../../ui/format.ts";
import { quoteToken } from "./layer-labels.ts";
import { LayerTag, LayerTopTokenCell } from "./layers-table.tsx";
import { type LayerDivergence, type StepLayers, settledLayer } from "./step-layers.ts";
import "./layers-compared.css";

interface LayersComparedProps {
  readonly ran: StepLayers;
  readonly plain: StepLayers;
  readonly parting: LayerDivergence;
  /** The token that came out. */
  readonly came: { readonly token: number; readonly text: string };
  /** The mods' changes of layers: words by layer. */
  readonly acted: ReadonlyMap<number, string>;
}

/** The number of most likely tokens that are shown on each side; a narrow page hides the second. */
const shownTokens = 2;

export const LayersCompared = memo(function LayersCompared(props: LayersComparedProps) {
  const { ran, plain, parting, came, acted } = props;
  const settled = settledLayer(ran.lines, came.token);
  const shown = ran.lines.map((line, layer) => ({ line, beside: plain.lines[layer] })).reverse();
  return (
    <table className="layers-table layers-compared">
      <caption className="visually-hidden">
        What each layer would say, steered and without steering, the last layer first
      </caption>
      <thead>
        <tr>
          <th scope="col" className="layer-number">
            layer
          </th>
          <th scope="col">with steering</th>
          <th scope="col" className="compared-rank" title={`Rank of ${quoteToken(came.text)}`}>
            rank
          </th>
          <th scope="col" className="compared-differ">
            <span className="visually-hidden">differ</span>
          </th>
          <th scope="col">without steering</th>
          <th scope="col" className="compared-rank" title={`Rank of ${quoteToken(came.text)}`}>
            rank
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ line, beside }) => (
          <tr key={line.layer} className={classOf(line.layer, parting)}>
            <th scope="row" className="layer-number">
              <LayerTag settled={line.layer === settled} acted={acted.get(line.layer)} />
              {line.layer}
            </th>
            <LayerTopTokenCell line={line} count={shownTokens} came={came.token} />
            <Rank line={line} />
            <td className="compared-differ">
              {parting.others.has(line.layer) && (
                <span title="This layer ranks another word first with steering than without">
                  <span aria-hidden="true">≠</span>
                  <span className="visually-hidden">different word</span>
                </span>
              )}
            </td>
            {beside ? (
              <>
                <LayerTopTokenCell line={beside} count={shownTokens} came={came.token} />
                <Rank line={beside} />
              </>
            ) : (
              <td colSpan={2} />
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
});

/**
 * CSS class of the lines in the table: below the first line both sides are equal, below the second they have the same top
 * token.
 */
function classOf(layer: number, { firstLayer, word }: LayerDivergence): string | undefined {
  if (layer === firstLayer) return "compared-part";
  return layer === word ? "compared-word" : undefined;
}

function Rank({ line }: { line: TraceLayerSays }) {
  return <td className="compared-rank">{line.token === null ? "–" : formatCount(line.token.rank + 1)}</td>;
}
