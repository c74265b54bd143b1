/** One row's part of the line of a token's rank over the layers: the row's own point, and half of the way to the points above and below. */
import type { TraceLayerSays } from "../../../core/trace/format/format-layers.ts";
import { formatCount } from "../../ui/format.ts";
import { rankAxisPosition } from "./step-layers.ts";

interface RankLineProps {
  readonly line: TraceLayerSays;
  readonly above: TraceLayerSays | undefined;
  readonly below: TraceLayerSays | undefined;
  readonly vocabularySize: number;
}

export function RankLine({ line, above, below, vocabularySize }: RankLineProps) {
  if (!line.token) return null;
  const positionOf = (other: TraceLayerSays | undefined) =>
    other?.token && rankAxisPosition(other.token.rank, vocabularySize) * 100;
  const position = rankAxisPosition(line.token.rank, vocabularySize) * 100;
  const half = (other: TraceLayerSays | undefined, y: number) => {
    const otherPosition = positionOf(other);
    return otherPosition == null ? [] : [`${(position + otherPosition) / 2},${y}`];
  };
  const points = [...half(above, 0), `${position},50`, ...half(below, 100)].join(" ");
  return (
    <span className="rank-cell">
      <span className="rank-plot" aria-hidden="true">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <polyline points={points} vectorEffect="non-scaling-stroke" />
        </svg>
        <i
          className={line.token.rank === 0 ? "rank-point rank-first" : "rank-point"}
          style={{ left: `${position}%` }}
        />
      </span>
      <span className="rank-number">{formatCount(line.token.rank + 1)}</span>
    </span>
  );
}
