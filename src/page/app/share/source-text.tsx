/** A source with its lines numbered, in one text: every character of it can be seen, and only the lines in view are drawn. */
import { useLayoutEffect, useMemo, useRef } from "react";
import { visibleSource } from "../../../core/trace/text/visible-source.ts";
import { formatCount } from "../../../view/ui/format.ts";
import { useRowWindow } from "../../../view/ui/use-row-window.ts";
import "./source-text.css";

interface SourceTextProps {
  readonly source: string;
  /** The line, counted from 1, that is marked and scrolled to; null for none. */
  readonly line: number | null;
}

/** Height of a line in px, as in the style sheet. */
const lineHeight = 20;
const padding = 18;
/** A source of more lines scrolls in a box of its own. */
const mostLines = 400;

export function SourceText({ source, line }: SourceTextProps) {
  const box = useRef<HTMLPreElement>(null);
  const { text, hidden } = useMemo(() => visibleSource(source), [source]);
  const starts = useMemo(() => lineStarts(text), [text]);
  const count = starts.length - 1;
  const isLong = count > mostLines;
  const view = useRowWindow(box, count, lineHeight);
  const { first, last } = isLong ? view : { first: 0, last: count };
  useLayoutEffect(() => {
    const element = box.current;
    if (line === null || !element) return;
    if (isLong) element.scrollTop = (line - 1) * lineHeight - element.clientHeight / 2;
    else element.querySelector(".source-mark")?.scrollIntoView({ block: "center" });
  }, [line, isLong]);
  const shown = text.slice(starts[first], (starts[last] ?? text.length + 1) - 1);
  const numbers = Array.from({ length: last - first }, (_, place) => first + place + 1).join("\n");
  const room = isLong ? { paddingTop: view.before, paddingBottom: view.after } : undefined;
  return (
    <>
      {(hidden > 0 || isLong) && (
        <p className="source-note">
          {isLong && `${formatCount(count)} lines. `}
          {hidden > 0 && hiddenLabels(hidden)}
        </p>
      )}
      <pre
        translate="no"
        ref={box}
        className={isLong ? "source source-long" : "source"}
        style={{ containIntrinsicBlockSize: `auto ${count * lineHeight + padding}px` }}
        onScroll={isLong ? view.measure : undefined}
        // A region that may scroll, down or aside, must take the focus.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
      >
        <span className="source-lines" style={room}>
          {line !== null && <i className="source-mark" style={{ top: (line - 1) * lineHeight }} />}
          <span className="source-numbers" data-numbers={numbers} />
          <code translate="no">{shown}</code>
        </span>
      </pre>
    </>
  );
}

function hiddenLabels(count: number): string {
  return count === 1
    ? "1 character is invisible or changes the direction of the text; it is shown as its code, such as ⟨U+202E⟩."
    : `${formatCount(count)} characters are invisible or change the direction of the text; they are shown as their codes, such as ⟨U+202E⟩.`;
}

/** Where each line begins; one entry more, at the end, is where a line after the last would. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  starts.push(text.length + 1);
  return starts;
}
