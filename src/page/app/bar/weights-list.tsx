/** The weights of a model to choose from, the recommended first, each with its size and what it needs or lacks on this device. */

import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import type {
  AvailableWeights,
  JudgedWeights,
} from "../../../runtime/session/page-side/available-weights.ts";
import { formatBytes } from "../../../view/ui/format.ts";
import { kvCacheSizeLabel, weightsFitnessNote } from "./model-metadata.ts";

interface WeightsListProps {
  readonly available: AvailableWeights;
  /** The chosen dtype, if this model is the chosen one. */
  readonly chosen: string | null;
  /** True if the sizes were never measured. */
  readonly isApproximate: boolean;
  readonly onChoose: (weights: JudgedWeights) => void;
}

export function WeightsList({ available, chosen, isApproximate, onChoose }: WeightsListProps) {
  const cache = kvCacheSizeLabel(available);
  return (
    <div className="weights">
      <ul>
        {available.weights.map((weights) => (
          <li key={weights.dtype}>
            <button
              type="button"
              className="weights-entry"
              aria-current={weights.dtype === chosen}
              disabled={weights.fitness === "impossible"}
              onClick={() => onChoose(weights)}
            >
              <span className="weights-dtype">{weights.dtype}</span>
              <span className="weights-size">{sizeLabels(weights.bytes, isApproximate)}</span>
              <span className="weights-why">{weightsFitnessNote(weights)}</span>
            </button>
          </li>
        ))}
      </ul>
      {cache && <p className="other-note">{cache}.</p>}
      {available.refused.length > 0 && (
        <details className="weights-refused">
          <summary>Not available: {available.refused.length}</summary>
          <ul>
            {available.refused.map(({ path, reason }) => (
              <li key={path}>
                <code translate="no">{showInvisibleCharacters(path)}</code> {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function sizeLabels(bytes: number | null, isApproximate: boolean): string {
  if (bytes === null) return "size not known";
  return isApproximate ? `about ${formatBytes(bytes)}` : formatBytes(bytes);
}
