/** The run as Markdown: a quote, its figures, and the link. */
import { useCallback, useMemo } from "react";
import type { ResumableWork } from "../../../core/base/resumable-work.ts";
import { markdownOf } from "../../../core/trace/file/markdown.ts";
import { CopyButton } from "../../../view/ui/copy-button.tsx";
import { formatCount } from "../../../view/ui/format.ts";
import { ShareActions, ShareSize } from "./share-actions.tsx";
import { choosingInitialLinkParts, makingLink } from "./share-parts.ts";
import type { RunToShare } from "./shared.ts";
import { useStepsResult } from "./use-made.ts";

export function ShareMarkdown({ shared }: { shared: RunToShare }) {
  const link = useStepsResult(useCallback(() => makingAddress(shared), [shared]));
  const markdown = useMemo(
    () =>
      link === null
        ? null
        : markdownOf(shared.model, link instanceof Error || link.length > longestAddress ? null : link),
    [shared, link],
  );
  const hasLink = typeof link === "string" && link.length <= longestAddress;
  return (
    <>
      <p className="share-lead">
        For an issue, a README or a chat: the text as a quote, with the mods’ words in bold, removed words
        struck through, and the run’s statistics.
      </p>
      <ShareSize made={markdown}>
        {formatCount(markdown?.length ?? 0)} characters.{" "}
        {!hasLink && "The run’s link is too long for Markdown: share the run as a file as well."}
      </ShareSize>
      <textarea
        className="share-markdown"
        aria-label="Markdown of the run"
        readOnly
        rows={10}
        value={markdown ?? ""}
      />
      <ShareActions>
        <CopyButton weight="primary" label="Copy the Markdown" text={() => markdown ?? ""} />
      </ShareActions>
    </>
  );
}

/** Characters of a link that GitHub's comments, of 65,536, still hold beside the text. */
const longestAddress = 30_000;

function* makingAddress({ trace, notes, page }: RunToShare): ResumableWork<string> {
  const parts = yield* choosingInitialLinkParts(trace, notes, page);
  const { address } = yield* makingLink(trace, parts, notes, page);
  return address;
}
