/**
 * Shows how the probabilities of a step changed from the model through each mod to the draw: what moved, what could be drawn,
 * and what was drawn.
 */
import { hasBiasOrPenalty } from "../../../core/base/sampling.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { countWithNoun, formatProbability } from "../../ui/format.ts";
import { wrapQuotes } from "../whole-quotes.tsx";
import { formatUpperBound } from "./at-most.ts";
import { CutOffPlot } from "./cut-off-plot.tsx";
import { cumulativeProbabilities } from "./cut-offs.ts";
import { TokenDrawBars } from "./draw-bars.tsx";
import { describeDrawSettings, describeTokenDraw, tokenTextOrId, whyNoDrawBars } from "./draw-labels.ts";
import { type TokenDrawDistribution, tokenDrawDistribution } from "./drawn-from.ts";
import { type MovedMass, type MovedToken, movedMass, movedMassLabel } from "./moved-mass.ts";
import { namedTokenDrawBars } from "./named-bars.ts";
import { type StepProbabilities, stepProbabilities, tokenIdentity } from "./step-probabilities.ts";
import { UnlistedTokens } from "./unlisted.tsx";
import "./draw-panel.css";

interface DrawPanelProps {
  readonly trace: TraceModel;
  readonly index: number;
}

export function TokenDrawPanel({ trace, index }: DrawPanelProps) {
  const probabilities = stepProbabilities(trace, index);
  if (!probabilities) return null;
  return (
    <div className="draw-panel">
      <UnlistedTokens trace={trace} index={index} />
      {probabilities.stages.length > 0 && <Stages probabilities={probabilities} />}
      <Draw trace={trace} index={index} probabilities={probabilities} />
    </div>
  );
}

function Stages({ probabilities: { model, stages, leftOut } }: { probabilities: StepProbabilities }) {
  let before: StepProbabilities["model"] | null = model;
  const rows = stages.map((stage) => {
    const moved = before && stage.probabilities ? movedMass(before, stage.probabilities) : null;
    before = stage.probabilities;
    return { stage, moved };
  });
  const last = stages.at(-1)?.probabilities;
  const all = stages.length > 1 && last ? movedMass(model, last) : null;
  return (
    <section className="stages" aria-label="Changes by each mod">
      <h3>Changes by the mods</h3>
      <ol>
        {rows.map(({ stage, moved }, place) => (
          <li key={stage.record}>
            <p>
              <span className="call-mod">{stage.modName}</span> {showInvisibleCharacters(stage.summary)}
            </p>
            {moved ? (
              <Moved moved={moved} />
            ) : (
              <p className="stage-unknown">
                The effect of this edit alone is unknown, because no mod read the probabilities before the
                next edit.
              </p>
            )}
            {leftOut > 0 && place === rows.length - 2 && (
              <p className="stage-unknown">
                Not shown: {countWithNoun(leftOut, "more edit")} by mods before the next row.
              </p>
            )}
          </li>
        ))}
        {all && (
          <li>
            <p>All mods together</p>
            <Moved moved={all} />
          </li>
        )}
      </ol>
    </section>
  );
}

function Moved({ moved }: { moved: MovedMass }) {
  const { least, most, movers, mostBefore, mostAfter } = moved;
  return (
    <>
      <p className="moved">
        <b>{movedMassLabel(moved)}</b> of the probability moved to other tokens
        <span className="moved-track" aria-hidden="true">
          <i style={{ width: `${least * 100}%` }} />
          <i className="moved-perhaps" style={{ width: `${(most - least) * 100}%` }} />
        </span>
      </p>
      {movers.length > 0 && (
        <table className="movers">
          <caption className="visually-hidden">The tokens that changed most</caption>
          <thead className="visually-hidden">
            <tr>
              <th scope="col">token</th>
              <th scope="col">before</th>
              <th scope="col">after</th>
              <th scope="col">change</th>
            </tr>
          </thead>
          <tbody>
            {movers.map((mover) => (
              <MoverRow
                key={tokenIdentity(mover)}
                mover={mover}
                mostBefore={mostBefore}
                mostAfter={mostAfter}
              />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

type MoverRowProps = { readonly mover: MovedToken } & Pick<MovedMass, "mostBefore" | "mostAfter">;

function MoverRow({ mover, mostBefore, mostAfter }: MoverRowProps) {
  const { before, after } = mover;
  const from = before ?? mostBefore;
  const to = after ?? mostAfter;
  const low = Math.min(from, to);
  const high = Math.max(from, to);
  const gained = to > from;
  const cell = (value: number | null, most: number) =>
    value === null ? formatUpperBound(most) : formatProbability(value);
  return (
    <tr>
      <th scope="row">{tokenTextOrId(mover)}</th>
      <td>{cell(before, mostBefore)}</td>
      <td>
        <span aria-hidden="true">→ </span>
        {cell(after, mostAfter)}
      </td>
      <td className={gained ? "mover-track mover-gained" : "mover-track mover-lost"}>
        <span aria-hidden="true">
          <i style={{ width: `${low * 100}%` }} />
          <i className="mover-change" style={{ width: `${(high - low) * 100}%` }} />
        </span>
        <span className="visually-hidden">{gained ? "gained" : "lost"}</span>
      </td>
    </tr>
  );
}

function Draw({ trace, index, probabilities }: DrawPanelProps & { probabilities: StepProbabilities }) {
  const { request } = trace;
  const { sampled, model, stages, temperature } = probabilities;
  if (!request) return null;
  const why = whyNoDrawBars(probabilities, hasBiasOrPenalty(request.sampling));
  const settings = { sampling: request.sampling, vocabularySize: request.model.vocabularySize };
  const final = stages.length === 0 ? model : (stages.at(-1)?.probabilities ?? null);
  if (why !== null || !sampled || !final)
    return <p className="draw-none">{why ?? "The probabilities of this random draw were not saved."}</p>;
  const drawing = { ...settings, probabilities: final, temperature, known: sampled };
  const drawn = tokenDrawDistribution(drawing);
  const curve = cumulativeProbabilities(drawing);
  if (!drawn) return <p className="draw-none">This random draw was not saved.</p>;
  const draw = trace.leftOut.has("draws") ? null : sampled.draw;
  const without =
    stages.length === 0
      ? null
      : tokenDrawDistribution({
          ...settings,
          probabilities: model,
          temperature: request.sampling.temperature,
          known: null,
        });
  const bars = namedTokenDrawBars(probabilities, { without, drawn }, { ...settings, draw });
  const isOrdered = bars.every(({ bar }) => bar.isOrdered);
  const hasOthers = bars.some(({ bar }) => bar.parts.some(({ token }) => token === null));
  return (
    <>
      <section className="draw" aria-label="Random draw">
        <h3>Random draw</h3>
        <p>
          {wrapQuotes(
            describeTokenDraw(probabilities, drawn, {
              draw,
              written: trace.tokens.text[index] ?? "",
              settings: describeDrawSettings(request.sampling, temperature),
              bar: isOrdered ? (bars.at(-1)?.bar ?? null) : null,
            }),
          )}
        </p>
        <TokenDrawBars bars={bars} draw={isOrdered ? draw : null} />
        <p className="draw-hint">
          {isOrdered
            ? "Tokens are in the order of their ids."
            : "This link has no token ids, so tokens are sorted by probability."}
          {hasOthers && " Hatched: tokens that were not recorded."}
          {draw === null && " The random number was not saved."}
          {trace.leftOut.has("tokenIds") &&
            " These probabilities are rounded; the run’s .trace file has the exact values."}
        </p>
        <ShareTable drawn={drawn} without={without} />
      </section>
      {curve && <CutOffPlot curve={curve} vocabularySize={settings.vocabularySize} />}
    </>
  );
}

/** The most tokens of the draw that are listed. */
const mostListed = 16;

function ShareTable({
  drawn,
  without,
}: {
  drawn: TokenDrawDistribution;
  without: TokenDrawDistribution | null;
}) {
  const shares = new Map(without?.tokens.map((token) => [tokenIdentity(token), token.share]));
  const listed = drawn.tokens.filter(
    (token) => token.share > 0 || (shares.get(tokenIdentity(token)) ?? 0) > 0,
  );
  return (
    <details className="draw-table">
      <summary>As a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">token</th>
            {without && <th scope="col">without the mods</th>}
            <th scope="col">{without ? "with the mods" : "probability in the draw"}</th>
          </tr>
        </thead>
        <tbody>
          {listed.slice(0, mostListed).map((token) => (
            <tr key={tokenIdentity(token)}>
              <th scope="row">{tokenTextOrId(token)}</th>
              {without && <td>{formatProbability(shares.get(tokenIdentity(token)) ?? 0)}</td>}
              <td>{formatProbability(token.share)}</td>
            </tr>
          ))}
          {drawn.others > 0 && (
            <tr>
              <th scope="row">all others</th>
              {without && <td>{formatProbability(without.others)}</td>}
              <td>{formatProbability(drawn.others)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </details>
  );
}
