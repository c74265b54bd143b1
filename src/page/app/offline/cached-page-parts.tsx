/** Shows the saved parts of the page. */
import { explainInsecurePage } from "../../../core/base/secure-context.ts";
import { Button } from "../../../view/ui/button.tsx";
import { formatBytes } from "../../../view/ui/format.ts";
import type { PagePart } from "./page-parts.ts";
import { RemoveButton } from "./remove-button.tsx";
import type { StoredDataOverview } from "./use-stored-files.ts";

interface CachedPagePartsProps extends Pick<StoredDataOverview, "page" | "isWanted"> {
  readonly isBusy: boolean;
  /** Downloads the missing parts. */
  readonly onCache: () => void;
  /** Whether the browser may save any part of the page. */
  readonly onChoose: (wanted: boolean) => void;
}

export function CachedPageParts(props: CachedPagePartsProps) {
  return (
    <section className="kept-part" aria-label="The page">
      <h3>The page</h3>
      <PartsOrReason {...props} />
    </section>
  );
}

function PartsOrReason({ page, isWanted, isBusy, onCache, onChoose }: CachedPagePartsProps) {
  if (!isWanted) {
    return (
      <>
        <p>You chose not to save the page: it does not open offline.</p>
        <div className="kept-actions">
          <Button disabled={isBusy} onClick={() => onChoose(true)}>
            Save the page for offline use
          </Button>
        </div>
      </>
    );
  }
  if (page === null) return <p>{whyNothing()}</p>;
  if (typeof page === "string") return <p className="field-error">{page}</p>;
  return <Parts parts={page.parts} isBusy={isBusy} onCache={onCache} onRemove={() => onChoose(false)} />;
}

function whyNothing(): string {
  const insecure = explainInsecurePage("offline use");
  if (insecure) return `Nothing is saved. ${insecure}`;
  if (!navigator.serviceWorker)
    return "Nothing is saved: this browser has no offline storage for this page. Private windows often have none.";
  return "Nothing is saved yet. The page is saved a moment after it opens, unless this browser refuses.";
}

interface PartsProps {
  readonly parts: readonly PagePart[];
  readonly isBusy: boolean;
  readonly onCache: () => void;
  readonly onRemove: () => void;
}

function Parts({ parts, isBusy, onCache, onRemove }: PartsProps) {
  const missing = parts.reduce((sum, { missingBytes }) => sum + missingBytes, 0);
  const cachedBytes = parts.reduce((sum, { cachedBytes }) => sum + cachedBytes, 0);
  return (
    <>
      <ul className="kept-list">
        {parts.map((part) => (
          <li key={part.title}>
            <span>{part.title}</span>
            <small>{partLabels(part)}</small>
          </li>
        ))}
      </ul>
      <div className="kept-actions">
        {missing > 0 ? (
          <Button disabled={isBusy} onClick={onCache}>
            Save the whole page ({formatBytes(missing)} more)
          </Button>
        ) : (
          <p>The whole page is saved.</p>
        )}
        <RemoveButton
          label="Do not save the page"
          asks={`Remove the page’s ${formatBytes(cachedBytes)}? The page will then no longer open offline.`}
          disabled={isBusy}
          onRemove={onRemove}
        />
      </div>
    </>
  );
}

function partLabels({ cachedCount, count, cachedBytes, missing }: PagePart): string {
  if (cachedCount === 0) return "not used yet";
  if (missing.length === 0) return `saved, ${formatBytes(cachedBytes)}`;
  return `${cachedCount} of ${count} files, ${formatBytes(cachedBytes)}`;
}
