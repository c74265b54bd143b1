/** One run of the list: its name, the beginning of its output or the words that the search found, and its metadata. */
import { memo } from "react";
import { shownAuthorName } from "../../../core/trace/file/maker.ts";
import { Icon } from "../../../view/ui/icon.tsx";
import type { Excerpt } from "../../runs/search.ts";
import { formatWhen, oneLine, runMetadataLabels, runName } from "./history-labels.ts";
import type { HistoryRun } from "./history-store.ts";

interface RunRowProps {
  readonly run: HistoryRun;
  readonly found: Excerpt | "metadata" | null;
  readonly place: number;
  readonly count: number;
  readonly isActive: boolean;
  readonly isShown: boolean;
  readonly now: number;
}

export const runRowElementId = (id: string) => `run-${id}`;

export const RunRow = memo(function RunRow({
  run,
  found,
  place,
  count,
  isActive,
  isShown,
  now,
}: RunRowProps) {
  const { id, star, tags, output, when, recorded, experiment } = run;
  const maker = shownAuthorName(run);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and says which row is active
    <div
      id={runRowElementId(id)}
      role="option"
      aria-selected={isActive}
      aria-current={isShown || undefined}
      aria-posinset={place + 1}
      aria-setsize={count}
      className="run-row"
      data-place={place}
    >
      {experiment === undefined ? (
        <span
          className={star ? "run-star run-starred" : "run-star"}
          data-star
          title={star ? "Unstar" : "Star"}
        >
          <Icon name={star ? "starred" : "star"} />
          {star && <span className="visually-hidden">Starred. </span>}
        </span>
      ) : (
        <span className="run-star" title="A run of an experiment">
          <Icon name="flask" />
        </span>
      )}
      <span className="run-title" translate="no">
        {runName(run)}
      </span>
      <time
        className="run-when"
        dateTime={new Date(when).toISOString()}
        title={new Date(when).toLocaleString("en-GB")}
      >
        {formatWhen(when, now)}
      </time>
      <span className="run-text" translate="no">
        {found === null || found === "metadata" ? oneLine(output) || "No answer" : <Found excerpt={found} />}
      </span>
      <span className="run-metadata">
        {isShown && <span className="run-shown">shown</span>}
        {experiment !== undefined && (
          <span className="run-elsewhere">experiment “{oneLine(experiment)}”</span>
        )}
        {recorded && (
          <span className="run-elsewhere">
            recorded elsewhere
            {maker !== null && (
              <>
                {" "}
                by <bdi>{maker}</bdi>
              </>
            )}
          </span>
        )}
        {tags.map((tag) => (
          <span key={tag} className="run-tag">
            {oneLine(tag)}
          </span>
        ))}
        <span className="run-words">{runMetadataLabels(run).join(" · ")}</span>
      </span>
    </div>
  );
});

function Found({ excerpt: { field, before, found, after } }: { excerpt: Excerpt }) {
  return (
    <>
      {field === "prompt" && <span className="run-field">in the prompt: </span>}
      {spaced(before)}
      <mark>{oneLine(found)}</mark>
      {spaced(after)}
    </>
  );
}

/** The text on one line. Keeps the space beside the words that the search found. */
function spaced(text: string): string {
  const [, start = "", end = ""] = /^(\s?).*?(\s?)$/s.exec(text) ?? [];
  const inside = oneLine(text);
  return inside === "" ? start && " " : `${start && " "}${inside}${end && " "}`;
}
