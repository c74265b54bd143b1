/** One model of the list: what it is, what it costs here, and its weights to choose from. */
import { useEffect, useId, useState } from "react";
import { useStore } from "zustand";
import { visibleText } from "../../../core/trace/text/visible-text.ts";
import { type AvailableWeights, availableWeightsOfEntry } from "../../../package/api/available-weights.ts";
import type { CachedModel } from "../../../package/api/cached-models.ts";
import type { CatalogEntry } from "../../../package/api/catalog.ts";
import { formatBytes } from "../../../view/ui/format.ts";
import { Icon } from "../../../view/ui/icon.tsx";
import { cachedPercent } from "../offline/cached-percent.ts";
import { useStores } from "../store/stores.ts";
import { cautionOf, downloadLabels, modelMetadata, modelOrigin } from "./model-metadata.ts";
import { WeightsList } from "./weights-list.tsx";

interface ModelRowProps {
  readonly entry: CatalogEntry;
  /** The part of the model that is in this browser. */
  readonly kept: CachedModel | null;
  readonly onChosen: () => void;
}

export function ModelRow({ entry, kept, onChosen }: ModelRowProps) {
  const { model } = useStores();
  const { choice, choose } = useStore(model);
  const [offer, setOffer] = useState<AvailableWeights | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  useEffect(() => {
    let isGone = false;
    void availableWeightsOfEntry(entry).then((made) => !isGone && setOffer(made));
    return () => {
      isGone = true;
    };
  }, [entry]);
  const { reference } = entry;
  const isChosen = reference.url === choice?.reference.url;
  const caution = offer && cautionOf(offer);
  return (
    <li>
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
          {visibleText(entry.title)} {entry.origin !== "hub" && <small>{modelOrigin(entry)}</small>}
        </span>
        <span className="model-size">{kept ? hereWords(kept) : downloadLabels(entry)}</span>
        <span className="model-description">{entry.description}</span>
        <span className="model-facts">{modelMetadata(entry)}</span>
        {caution && <span className="model-caution">{caution}</span>}
        {isChosen && <Icon name="check" />}
      </button>
      {offer && offer.weights.length > 1 && (
        <button
          type="button"
          className="model-more"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={`${offer.weights.length} sets of weights of ${visibleText(entry.title)}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          {offer.weights.length} sets of weights
          <Icon name="down" />
        </button>
      )}
      <div id={id} hidden={!isOpen}>
        {isOpen && offer && (
          <WeightsList
            offer={offer}
            chosen={isChosen ? (choice?.reference.dtype.webgpu ?? null) : null}
            isApproximate={!entry.measured}
            onChoose={({ dtype }) => {
              choose({ ...reference, dtype: { webgpu: dtype, wasm: dtype } });
              onChosen();
            }}
          />
        )}
      </div>
    </li>
  );
}

/** Describes a download that was ended early: its bytes stay and are resumed. */
function hereWords(kept: CachedModel): string {
  if (kept.begun.length === 0) return "kept here";
  const percent = cachedPercent(kept);
  return percent === null ? `${formatBytes(kept.bytes)} is here` : `${percent} % is here`;
}
