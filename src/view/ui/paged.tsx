/** A list of which one page of entries is drawn at a time. A list that fits on one page has no buttons. */
import { type ReactNode, useEffect, useState } from "react";
import { formatCount } from "./format.ts";
import "./button.css";
import "./paged.css";

interface PagedProps {
  readonly count: number;
  /** Number of entries on a page. */
  readonly size: number;
  /** The name of the entries, in the plural: "calls". */
  readonly noun: string;
  /** Draws the entries from `from` to before `to`. */
  readonly children: (from: number, to: number) => ReactNode;
}

export function PagedList({ count, size, noun, children }: PagedProps) {
  const [start, setStart] = useState(0);
  const from = start < count ? start : 0;
  const to = Math.min(count, from + size);
  return (
    <>
      {children(from, to)}
      {count > size && (
        <PageNavigation
          range={`${formatCount(from + 1)} to ${formatCount(to)} of ${formatCount(count)} ${noun}`}
          onEarlier={from > 0 ? () => setStart(Math.max(0, from - size)) : null}
          onLater={to < count ? () => setStart(to) : null}
        />
      )}
    </>
  );
}

interface PagesProps {
  readonly range: string;
  /** Null if there is no earlier (or later) page. */
  readonly onEarlier: (() => void) | null;
  readonly onLater: (() => void) | null;
}

/** Shows which part of a long list is drawn, with the buttons to the other parts. */
export function PageNavigation({ range, onEarlier, onLater }: PagesProps) {
  const [said, setSaid] = useState(range);
  useEffect(() => setSaid(range), [range]);
  return (
    <p className="pages">
      <span aria-live="polite">{said}</span>
      <PageButton label="Previous" onGo={onEarlier} />
      <PageButton label="Next" onGo={onLater} />
    </p>
  );
}

/** Looks like `Button`, but loads no icons: the first scripts of a link's page also need paged lists. */
function PageButton({ label, onGo }: { readonly label: string; readonly onGo: (() => void) | null }) {
  return (
    <button type="button" className="button button-quiet" disabled={!onGo} onClick={onGo ?? undefined}>
      {label}
    </button>
  );
}
