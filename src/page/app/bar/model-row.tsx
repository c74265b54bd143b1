/** One model of the list: its name and its download on this device. Its details have the rest. */
import { useEffect, useId, useState } from "react";
import { useStore } from "zustand";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import {
  type AvailableWeights,
  availableWeightsOfEntry,
} from "../../../runtime/session/page-side/available-weights.ts";
import type { CachedModel } from "../../../runtime/session/page-side/cached-models.ts";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import { formatBytes } from "../../../view/ui/format.ts";
import { Icon } from "../../../view/ui/icon.tsx";
import { cachedPercent } from "../offline/cached-percent.ts";
import { useStores } from "../store/stores.ts";
import {
  downloadSizeLabel,
  modelCaution,
  modelMetadataLine,
  modelOrigin,
  shortModelCaution,
} from "./model-metadata.ts";
import { WeightsList } from "./weights-list.tsx";

interface ModelRowProps {
  readonly entry: CatalogEntry;
  /** The part of the model that is in this browser. */
  readonly cached: CachedModel | null;
  readonly onChosen: () => void;
}

export function ModelRow({ entry, cached, onChosen }: ModelRowProps) {
  const { model } = useStores();
  const { choice, choose } = useStore(model);
  const [available, setAvailable] = useState<AvailableWeights | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  useEffect(() => {
    let isGone = false;
    void availableWeightsOfEntry(entry).then((made) => !isGone && setAvailable(made));
    return () => {
      isGone = true;
    };
  }, [entry]);
  const { reference } = entry;
  const isChosen = reference.url === choice?.reference.url && choice.reference.server === undefined;
  const caution = available && shortModelCaution(available);
  return (
    <li>
      <div className="model-row">
        <button
          type="button"
          className="model-entry"
          aria-current={isChosen}
          onClick={() => {
            choose(reference);
            onChosen();
          }}
        >
          <span className="model-title">
            {showInvisibleCharacters(entry.title)}{" "}
            {entry.origin !== "hub" && <small>{modelOrigin(entry)}</small>}
          </span>
          {caution && <span className="model-caution">{caution}</span>}
          <span className="model-size">{cached ? cachedSizeLabel(cached) : downloadSizeLabel(entry)}</span>
          {isChosen && <Icon name="check" />}
        </button>
        <button
          type="button"
          className="model-more"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={`Details of ${showInvisibleCharacters(entry.title)}`}
          title="Details"
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name="down" />
        </button>
      </div>
      <div id={id} className="model-details" hidden={!isOpen}>
        {isOpen && <Details entry={entry} available={available} onChosen={onChosen} />}
      </div>
    </li>
  );
}

interface DetailsProps extends Pick<ModelRowProps, "entry" | "onChosen"> {
  readonly available: AvailableWeights | null;
}

function Details({ entry, available, onChosen }: DetailsProps) {
  const { model } = useStores();
  const { choice, choose } = useStore(model);
  const { reference } = entry;
  const isChosen = reference.url === choice?.reference.url && choice.reference.server === undefined;
  const caution = available && modelCaution(available);
  return (
    <>
      <p className="model-description">{entry.description}</p>
      <p className="model-facts">{modelMetadataLine(entry)}</p>
      {caution && <p className="model-caution">{caution}</p>}
      {available && available.weights.length > 1 && (
        <WeightsList
          available={available}
          chosen={isChosen ? (choice?.reference.dtype.webgpu ?? null) : null}
          isApproximate={!entry.measured}
          onChoose={({ dtype }) => {
            choose({ ...reference, dtype: { webgpu: dtype, wasm: dtype } });
            onChosen();
          }}
        />
      )}
    </>
  );
}

/** Describes a download that was ended early. The downloaded bytes stay, and a later download continues after them. */
function cachedSizeLabel(cached: CachedModel): string {
  if (cached.partialFiles.length === 0) return "saved in this browser";
  const percent = cachedPercent(cached);
  return percent === null
    ? `${formatBytes(cached.bytes)} saved in this browser`
    : `${percent}% saved in this browser`;
}
