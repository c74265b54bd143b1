/** The part of one row of the line that the rank of a token draws over the layers: its own point, and half the way to its neighbours. */
import { formatCount } from "../../ui/format.ts";
import { type LayerLine, rankShare } from "./step-layers.ts";

interface RankLineProps {
  readonly line: LayerLine;
  readonly above: LayerLine | undefined;
  readonly below: LayerLine | undefined;
  readonly vocabularySize: number;
}

export function RankLine({ line, above, below, vocabularySize }: RankLineProps) {
  if (!line.came) return null;
  const at = (other: LayerLine | undefined) => other?.came && rankShare(other.came.rank, vocabularySize) * 100;
  const own = rankShare(line.came.rank, vocabularySize) * 100;
  const half = (other: LayerLine | undefined, y: number) => {
    const there = at(other);
    return there == null ? [] : [`${(own + there) / 2},${y}`];
  };
  const points = [...half(above, 0), `${own},50`, ...half(below, 100)].join(" ");
  return (
    <span className="rank-cell">
      <span className="rank-plot" aria-hidden="true">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" focusable="false">
          <polyline points={points} vectorEffect="non-scaling-stroke" />
        </svg>
        <i className={line.came.rank === 0 ? "rank-point rank-first" : "rank-point"} style={{ left: `${own}%` }} />
      </span>
      <span className="rank-number">{formatCount(line.came.rank + 1)}</span>
    </span>
  );
}
