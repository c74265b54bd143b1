/** The cumulative curve of the most likely tokens, with the sampler's cut-offs as lines. The caption describes it in words. */
import { type CumulativeProbabilities, describeCutOffs } from "./cut-offs.ts";

const width = 360;
const height = 148;
const box = { left: 44, right: width - 8, top: 18, bottom: height - 22 };

/** The number of plotted ranks: enough to show every cut-off and some tokens that it excludes. The list may be much longer. */
function plottedRanks({ sums, cutOffs }: CumulativeProbabilities): number {
  const farthest = Math.max(0, ...cutOffs.map(({ rank }) => rank ?? sums.length));
  return Math.min(sums.length, Math.max(10, Math.ceil(farthest * 1.3)));
}

export function CutOffPlot({
  curve,
  vocabularySize,
}: {
  curve: CumulativeProbabilities;
  vocabularySize: number;
}) {
  const { cutOffs, candidates, isEstimate } = curve;
  const sums = curve.sums.slice(0, plottedRanks(curve));
  const count = sums.length;
  const x = (rank: number) => box.left + ((box.right - box.left) * rank) / count;
  const y = (sum: number) => box.bottom - (box.bottom - box.top) * Math.min(1, sum);
  const shownCandidates = Math.min(candidates, count);
  const steps = sums.map((sum, place) => `V${y(sum)}H${x(place + 1)}`).join("");
  return (
    <figure className="cut-offs">
      <figcaption>
        <strong>Tokens that could be chosen</strong> {describeCutOffs(curve, vocabularySize)}
        {isEstimate && " Sums are estimates, from the recorded tokens."}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
        <rect
          className="cut-kept"
          x={box.left}
          y={box.top}
          width={x(shownCandidates) - box.left}
          height={box.bottom - box.top}
        />
        {[0, 0.5, 1].map((sum) => (
          <g key={sum}>
            <line className="cut-grid" x1={box.left} x2={box.right} y1={y(sum)} y2={y(sum)} />
            <text x={box.left - 6} y={y(sum) + 4} textAnchor="end">
              {sum * 100}%
            </text>
          </g>
        ))}
        <path className="cut-curve" d={`M${x(0)} ${y(0)}${steps}`} />
        {cutOffs.map(({ name, label, rank, sum }, place) => (
          <g key={name}>
            {sum !== null && (
              <line className="cut-line cut-line-sum" x1={box.left} x2={box.right} y1={y(sum)} y2={y(sum)} />
            )}
            {rank !== null && (
              <>
                <line className="cut-line" x1={x(rank)} x2={x(rank)} y1={box.top} y2={box.bottom} />
                <text
                  x={Math.min(x(rank), box.right - 30) + (rank > count * 0.7 ? -4 : 4)}
                  y={box.bottom - 6 - 14 * place}
                  textAnchor={rank > count * 0.7 ? "end" : "start"}
                  className="cut-label"
                >
                  {label}
                </text>
              </>
            )}
          </g>
        ))}
        <text x={box.left} y={height - 6}>
          most likely
        </text>
        <text x={box.right} y={height - 6} textAnchor="end">
          rank {count}
        </text>
      </svg>
    </figure>
  );
}
