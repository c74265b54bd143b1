/** Models that are kept, and those that can be. */
import type { CatalogEntry } from "../../api/catalog.ts";
import type { KeptModel } from "../../api/kept-models.ts";
import { visibleText } from "../../trace/visible-text.ts";
import { Button } from "../../ui/button.tsx";
import { formatBytes } from "../../ui/format.ts";
import { modelOrigin } from "../bar/model-facts.ts";
import type { ModelRow } from "./model-rows.ts";
import { RemoveButton } from "./remove-button.tsx";

interface KeptModelsProps {
  readonly rows: readonly ModelRow[];
  /** Why it cannot be told. */
  readonly problem: string | null;
  readonly isBusy: boolean;
  readonly onKeep: (entry: CatalogEntry) => void;
  /** By the address of its folder. */
  readonly onRemove: (url: string) => void;
}

export function KeptModels({ rows, problem, isBusy, onKeep, onRemove }: KeptModelsProps) {
  return (
    <section className="kept-part" aria-label="Models">
      <h3>Models</h3>
      {problem !== null && <p className="field-error">The kept models cannot be read. {problem}</p>}
      <ul className="kept-list">
        {rows.map((row) => (
          <li key={row.url}>
            <span>
              {visibleText(row.title)} <small>{row.entry ? modelOrigin(row.entry) : "by its address"}</small>
            </span>
            <small>{keptWords(row)}</small>
            {!row.comesWithPage && (
              <ModelButton row={row} disabled={isBusy} onKeep={onKeep} onRemove={onRemove} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function keptWords({ kept, entry, comesWithPage }: ModelRow): string {
  if (comesWithPage) return "kept with the engine";
  if (kept) return keptSize(kept);
  return entry && entry.downloadBytes > 0
    ? `not kept, about ${formatBytes(entry.downloadBytes)}`
    : "not kept";
}

/** What came of a file that is not whole is gone on with when the model is loaded or kept. */
function keptSize({ bytes, begun, newer }: KeptModel): string {
  const sizes = begun.map(({ size }) => size);
  const left = begun.reduce((sum, file) => sum + (file.size ?? file.bytes) - file.bytes, 0);
  const share = Math.floor((100 * bytes) / Math.max(1, bytes + left));
  if (begun.length > 0)
    return sizes.includes(null)
      ? `${formatBytes(bytes)} came; it goes on there`
      : `${share} % kept, ${formatBytes(bytes)}; it goes on there`;
  return `kept, ${formatBytes(bytes)}${newer === null ? "" : "; a newer version is on the hub"}`;
}

interface ModelButtonProps {
  readonly row: ModelRow;
  readonly disabled: boolean;
  readonly onKeep: (entry: CatalogEntry) => void;
  readonly onRemove: (url: string) => void;
}

function ModelButton({ row: { title, url, entry, kept }, disabled, onKeep, onRemove }: ModelButtonProps) {
  const name = visibleText(title);
  const keep = entry && (
    <Button aria-label={`Keep ${name}`} disabled={disabled} onClick={() => onKeep(entry)}>
      Keep
    </Button>
  );
  if (!kept) return keep;
  return (
    <>
      {kept.begun.length > 0 && keep}
      <RemoveButton
        label="Remove"
        name={`Remove ${name}`}
        asks={`Remove ${formatBytes(kept.bytes)}? To use it again, its files are fetched again.`}
        disabled={disabled}
        onRemove={() => onRemove(url)}
      />
    </>
  );
}
