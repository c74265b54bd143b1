/** The last part of each form for sharing: the size, and the buttons that copy or save. */
import { type ReactNode, useState } from "react";
import { Button } from "../../../view/ui/button.tsx";
import { copyText } from "../../../view/ui/copy-text.ts";
import { formatCount } from "../../../view/ui/format.ts";
import { linkFitSentence } from "./share-parts.ts";

/** Stays in view below the scrolling part. */
export function ShareActions({ children }: { children: ReactNode }) {
  return <div className="share-actions">{children}</div>;
}

/** An address that is ready to be copied. */
export interface ShareableLink {
  readonly address: string;
  /** Characters of the whole address. */
  readonly length: number;
}

export function LinkLength({ link }: { link: ShareableLink | Error | null }) {
  return (
    <ShareSize made={link}>
      {link && !(link instanceof Error) && (
        <>
          <strong>{formatCount(link.length)}</strong> characters. {linkFitSentence(link.length)}
        </>
      )}
    </ShareSize>
  );
}

export function CopyLink({ link }: { link: ShareableLink | Error | null }) {
  const [said, setSaid] = useState<string | null>(null);
  const address = link === null || link instanceof Error ? null : link.address;
  const copy = () => {
    if (address === null) return;
    copyText(address).then(
      () => setSaid("Copied"),
      () => setSaid("The browser blocked copying: allow clipboard access and try again"),
    );
  };
  return (
    <Button
      weight="primary"
      icon={said === "Copied" ? "check" : "link"}
      className="share-copy"
      disabled={address === null}
      onClick={copy}
      onBlur={() => setSaid(null)}
      data-address={address ?? undefined}
    >
      <span aria-live="polite">{said ?? "Copy link"}</span>
    </Button>
  );
}

/** Shows the size of the shared data, that it is being made, or why it cannot be made. */
export function ShareSize({ made, children }: { made: unknown; children: ReactNode }) {
  if (made === null) return <p className="share-length">Preparing the data to share …</p>;
  if (made instanceof Error) {
    return (
      <p className="share-length share-failed" role="alert">
        {made.message}
      </p>
    );
  }
  return (
    <p className="share-length" aria-live="polite">
      {children}
    </p>
  );
}
