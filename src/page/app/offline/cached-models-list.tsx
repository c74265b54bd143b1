/** The saved models, and the models that can be saved. */

import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import type { CachedModel } from "../../../runtime/session/page-side/cached-models.ts";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import { Button } from "../../../view/ui/button.tsx";
import { formatBytes } from "../../../view/ui/format.ts";
import { modelOrigin } from "../bar/model-metadata.ts";
import { cachedPercent } from "./cached-percent.ts";
import type { OfflineModelRow } from "./model-rows.ts";
import { RemoveButton } from "./remove-button.tsx";

interface CachedModelsListProps {
  readonly rows: readonly OfflineModelRow[];
  /** Why the saved models are unknown. */
  readonly problem: string | null;
  readonly isBusy: boolean;
  readonly onCache: (entry: CatalogEntry) => void;
  /** `url`: the address of the model's folder. */
  readonly onRemove: (url: string) => void;
  /** Checks the saved files of the model, and downloads damaged files again. */
  readonly onCheck: (url: string, title: string) => void;
  /** Downloads the newer version of the hub. */
  readonly onUpdate: (url: string, title: string) => void;
}

export function CachedModelsList({ rows, problem, isBusy, ...acts }: CachedModelsListProps) {
  return (
    <section className="kept-part" aria-label="Models">
      <h3>Models</h3>
      {problem !== null && <p className="field-error">The saved models cannot be read. {problem}</p>}
      <ul className="kept-list">
        {rows.map((row) => (
          <li key={row.url}>
            <span>
              {showInvisibleCharacters(row.title)}{" "}
              <small>{row.entry ? modelOrigin(row.entry) : "added by its address"}</small>
            </span>
            <small>{modelStateLabel(row)}</small>
            {!row.comesWithPage && <ModelButtons row={row} disabled={isBusy} {...acts} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function modelStateLabel({ cached, entry, comesWithPage }: OfflineModelRow): string {
  if (comesWithPage) return "comes with the page";
  if (cached) return cachedSizeLabel(cached);
  return entry && entry.downloadBytes > 0
    ? `not saved, about ${formatBytes(entry.downloadBytes)}`
    : "not saved";
}

/** Describes the size. A partial file is resumed when the model is loaded or saved. */
function cachedSizeLabel(cached: CachedModel): string {
  const size = formatBytes(cached.bytes);
  if (cached.partialFiles.length === 0)
    return `saved, ${size}${cached.newer === null ? "" : "; a newer version is on Hugging Face"}`;
  const percent = cachedPercent(cached);
  return percent === null
    ? `${size} downloaded; you can continue the download`
    : `${percent}% saved, ${size}; you can continue the download`;
}

interface ModelButtonsProps
  extends Pick<CachedModelsListProps, "onCache" | "onRemove" | "onCheck" | "onUpdate"> {
  readonly row: OfflineModelRow;
  readonly disabled: boolean;
}

function ModelButtons({ row, disabled, onCache, onRemove, onCheck, onUpdate }: ModelButtonsProps) {
  const { title, url, entry, cached } = row;
  const name = showInvisibleCharacters(title);
  // A part of the model is saved already.
  const word = cached ? "Continue" : "Save";
  const saveButton = entry && (
    <Button aria-label={`${word} ${name}`} disabled={disabled} onClick={() => onCache(entry)}>
      {word}
    </Button>
  );
  if (!cached) return saveButton;
  return (
    <div className="kept-buttons">
      {cached.partialFiles.length > 0 && saveButton}
      {cached.newer !== null && (
        <Button aria-label={`Update ${name}`} disabled={disabled} onClick={() => onUpdate(url, name)}>
          Update
        </Button>
      )}
      {cached.files > 0 && (
        <Button
          weight="quiet"
          aria-label={`Check ${name}`}
          disabled={disabled}
          onClick={() => onCheck(url, name)}
        >
          Check
        </Button>
      )}
      <RemoveButton
        label="Remove"
        name={`Remove ${name}`}
        asks={`Remove ${formatBytes(cached.bytes)}? To use it again, its files have to be downloaded again.`}
        disabled={disabled}
        onRemove={() => onRemove(url)}
      />
    </div>
  );
}
