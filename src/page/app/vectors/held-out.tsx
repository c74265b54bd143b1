/** The place of each text along a direction that was made without this text and its pair. */

import type { LayerJudgement } from "../../../core/vectors/make-vector.ts";
import type { VectorTexts } from "../../../core/vectors/text-states.ts";
import { PagedList } from "../../../view/ui/paged.tsx";

interface HeldOutProps {
  readonly texts: VectorTexts;
  readonly judgement: LayerJudgement;
}

/** Pairs that are drawn at a time. */
const pairsShown = 12;

export function HeldOutPairsChart({ texts, judgement }: HeldOutProps) {
  const count = Math.max(judgement.toward.length, judgement.away.length);
  const all = [...judgement.toward, ...judgement.away];
  const reach = Math.max(1, ...all.map(Math.abs));
  return (
    <div className="held-out">
      <h3 className="vectors-title">Held-out pairs</h3>
      <p className="held-out-note">
        Each pair is placed by a vector that was made without that pair. The left end means “away from”, the
        right end means “toward”, and the middle is the midpoint.
      </p>
      <PagedList count={count} size={pairsShown} noun="pairs">
        {(from, to) => (
          <table>
            <thead className="visually-hidden">
              <tr>
                <th scope="col">Text</th>
                <th scope="col">Position</th>
              </tr>
            </thead>
            {Array.from({ length: to - from }, (_, at) => from + at).map((pair) => (
              <tbody key={pair}>
                <Row side="toward" text={texts.toward[pair]} place={judgement.toward[pair]} reach={reach} />
                <Row side="away" text={texts.away[pair]} place={judgement.away[pair]} reach={reach} />
              </tbody>
            ))}
          </table>
        )}
      </PagedList>
    </div>
  );
}

interface RowProps {
  readonly side: "toward" | "away";
  readonly text: string | undefined;
  readonly place: number | undefined;
  /** The largest place, of either sign. */
  readonly reach: number;
}

function Row({ side, text, place, reach }: RowProps) {
  if (text === undefined || place === undefined) return null;
  const isWrong = side === "toward" ? place <= 0 : place >= 0;
  const words = `${place > 0 ? "+" : ""}${place.toFixed(2)}`;
  return (
    <tr data-side={side} data-wrong={isWrong}>
      <th scope="row" title={text}>
        <span>{text}</span>
      </th>
      <td>
        <span className="held-out-axis" aria-hidden="true">
          <i style={{ insetInlineStart: `${50 + (50 * place) / reach}%` }} />
        </span>
        <span className="held-out-place">
          {words}
          {isWrong && <b> wrong side</b>}
        </span>
      </td>
    </tr>
  );
}
