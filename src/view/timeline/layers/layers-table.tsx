/**
 * A table with a row for each layer, the last layer at the top: its predictions, their entropy, and the rank of the token that
 * was taken.
 */
import { memo } from "react";
import type { TraceLayerSays, TraceLensToken } from "../../../core/trace/format/format-layers.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { formatCount, formatProbability } from "../../ui/format.ts";
import { quoteToken } from "./layer-labels.ts";
import { RankLine } from "./rank-line.tsx";
import { probabilityShade, rankTicks, type StepLayers, settledLayer } from "./step-layers.ts";
import "./layers-table.css";

interface LayersTableProps {
  readonly step: StepLayers;
  /** The token that came out. */
  readonly came: { readonly token: number; readonly text: string };
  /** The mods' changes of layers: words by layer. */
  readonly acted: ReadonlyMap<number, string>;
}

/** The number of most likely tokens that are shown; a narrow page hides all but the first three (layers-table.css). */
const shownTokens = 5;

export const LayersTable = memo(function LayersTable({ step, came, acted }: LayersTableProps) {
  const { lines, vocabularySize } = step;
  const settled = settledLayer(lines, came.token);
  const most = Math.max(...lines.map(({ entropy }) => entropy), 1);
  const shown = [...lines].reverse();
  return (
    <table className="layers-table">
      <caption className="visually-hidden">
        What each layer would say, the last layer first: its most likely tokens, its entropy, and the rank of{" "}
        {quoteToken(came.text)}
      </caption>
      <thead>
        <tr>
          <th scope="col" className="layer-number">
            layer
          </th>
          <th scope="col">would say, most likely first</th>
          <th scope="col" className="layer-entropy">
            entropy, bits
          </th>
          <th scope="col" className="layer-rank">
            <span>
              rank of <b>{quoteToken(came.text)}</b>
            </span>
            <RankTicks vocabularySize={vocabularySize} />
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((line, place) => (
          <tr key={line.layer} className={line.layer === settled ? "layer-settled" : undefined}>
            <th scope="row" className="layer-number">
              <LayerTag settled={line.layer === settled} acted={acted.get(line.layer)} />
              {line.layer}
            </th>
            <LayerTopTokenCell line={line} count={shownTokens} came={came.token} />
            <td className="layer-entropy">
              <span className="layer-entropy-track" aria-hidden="true">
                <i style={{ width: `${(line.entropy / most) * 100}%` }} />
              </span>
              {line.entropy.toFixed(1)}
            </td>
            <td className="layer-rank">
              <RankLine
                line={line}
                vocabularySize={vocabularySize}
                above={shown[place - 1]}
                below={shown[place + 1]}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
});

/** The tag of a special layer, before its number. */
export function LayerTag({ settled, acted }: { settled: boolean; acted: string | undefined }) {
  if (!settled && acted === undefined) return null;
  return (
    <>
      {acted !== undefined && <span className="layer-tag layer-acted">{acted}</span>}
      {settled && <span className="layer-tag">decided</span>}{" "}
    </>
  );
}

interface SaidCellsProps {
  readonly line: TraceLayerSays;
  readonly count: number;
  /** Id of the token that came out. */
  readonly came: number;
}

/** A single cell with the most likely tokens side by side, so that a narrow page can hide the less likely ones. */
export function LayerTopTokenCell({ line, count, came }: SaidCellsProps) {
  return (
    <td className="layer-says">
      <ol>
        {line.top.slice(0, count).map((said, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what a layer says never changes, and a file may name a token twice
          <Said key={place} said={said} place={place} came={said.token === came} />
        ))}
      </ol>
    </td>
  );
}

function Said({ said, place, came }: { said: TraceLensToken; place: number; came: boolean }) {
  const probability = formatProbability(Math.exp(said.logprob));
  const text = said.text === "" ? "¶" : showInvisibleCharacters(said.text).replaceAll(" ", "·");
  return (
    <li
      className={`said said-${probabilityShade(said.logprob)}${came ? " said-came" : ""}`}
      title={`${quoteToken(said.text)} ${probability}`}
    >
      <span className="said-text">{text}</span>
      <span className={place === 0 ? "said-odds" : "visually-hidden"}>{probability}</span>
    </li>
  );
}

/** The axis of the ranks: powers of ten. */
function RankTicks({ vocabularySize }: { vocabularySize: number }) {
  const ticks = rankTicks(vocabularySize);
  return (
    <span className="rank-axis" aria-hidden="true">
      {ticks.map((tick) => (
        <i key={tick} style={{ left: `${(Math.log(tick) / Math.log(Math.max(2, vocabularySize))) * 100}%` }}>
          {tick >= 1000 ? `${tick / 1000}k` : formatCount(tick)}
        </i>
      ))}
    </span>
  );
}
