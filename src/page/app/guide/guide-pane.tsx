/** The guide in the page: how to write a mod, with a table of contents, a search field, and examples that run in the guide. */
import { guide } from "virtual:guide";
import { type KeyboardEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { IconButton } from "../../../view/ui/button.tsx";
import { leavesPane } from "../../../view/ui/leaves-pane.ts";
import { useFirstFocus } from "../../../view/ui/use-first-focus.ts";
import { guideAddress, leaveGuideAddress, parseGuideFragment } from "./guide-address.ts";
import type { GuideSection } from "./guide-content.ts";
import { GuideExampleView } from "./guide-example.tsx";
import { GuideText } from "./guide-text.tsx";
import { searchGuide } from "./search-guide.ts";
import "./guide.css";

interface GuidePaneProps {
  /** Called when an example runs. */
  readonly onRun: () => void;
  /** Absent if the pane is a place of its own. */
  readonly onClose?: (() => void) | undefined;
}

export function GuidePane({ onRun, onClose }: GuidePaneProps) {
  const [wanted, setWanted] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const text = useRef<HTMLElement>(null);
  const section = useSectionInAddress();
  const found = searchGuide(guide, wanted);
  const isSearching = wanted.trim() !== "";
  useFirstFocus(field, onClose !== undefined && section === null);
  useEffect(() => leaveGuideAddress, []);
  useEffect(() => {
    if (section === null) return;
    setWanted("");
    showSection(text.current, section);
  }, [section]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!onClose || !leavesPane(event)) return;
    event.preventDefault();
    if (isSearching) setWanted("");
    else onClose();
  };
  /** The address may name this section already, of which the browser would say nothing. */
  const goTo = (id: string) => {
    setWanted("");
    if (section === id) requestAnimationFrame(() => showSection(text.current, id));
    else location.hash = guideAddress(id);
  };
  const [first] = found;
  return (
    <section className="guide" aria-label="Guide" onKeyDown={onKeyDown}>
      <header className="guide-head">
        <input
          ref={field}
          type="search"
          className="field"
          aria-label="Search the guide"
          placeholder="Search the guide: backtrack, JSON, hidden …"
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing || !first) return;
            event.preventDefault();
            goTo(first.section.id);
          }}
        />
        {onClose && <IconButton icon="close" label="Close the guide" onClick={onClose} />}
      </header>
      <div className="guide-found" hidden={!isSearching}>
        <p role="status" className="guide-note">
          {isSearching ? `${found.length} of ${guide.length} sections` : ""}
        </p>
        {found.map(({ section: { id, title }, line }) => (
          <a
            key={id}
            href={guideAddress(id)}
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              goTo(id);
            }}
          >
            <strong>{title}</strong>
            {line !== null && <span>{line}</span>}
          </a>
        ))}
        {isSearching && found.length === 0 && <p>No section contains all of these words. Try fewer words.</p>}
      </div>
      <section
        ref={text}
        className="guide-text"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
        tabIndex={0}
        aria-label="Text of the guide"
        hidden={isSearching}
      >
        {guide.map((each) => (
          <Section key={each.id} section={each} onRun={onRun} />
        ))}
      </section>
    </section>
  );
}

const headings = ["h2", "h3", "h4"] as const;

function Section({ section, onRun }: { section: GuideSection; onRun: () => void }) {
  const { id, title, depth, blocks } = section;
  const Heading = headings[depth - 1] ?? "h4";
  return (
    <section data-section={id} aria-labelledby={`guide-${id}`}>
      <Heading id={`guide-${id}`} tabIndex={-1}>
        {depth === 1 ? title : <a href={guideAddress(id)}>{title}</a>}
      </Heading>
      {blocks.map((block, at) =>
        block.type === "example" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the guide never changes while it is shown
          <GuideExampleView key={at} section={id} example={block.example} onRun={onRun} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the guide never changes while it is shown
          <GuideText key={at} block={block} />
        ),
      )}
      {depth === 1 && <Contents />}
    </section>
  );
}

function Contents() {
  return (
    <nav aria-label="Contents of the guide" className="guide-contents">
      <ul>
        {guide
          .filter(({ depth }) => depth > 1)
          .map(({ id, title, depth }) => (
            <li key={id} data-depth={depth}>
              <a href={guideAddress(id)}>{title}</a>
            </li>
          ))}
      </ul>
    </nav>
  );
}

/** Scrolls to a section, and moves the focus there for whoever reads on by keyboard. */
function showSection(text: HTMLElement | null, id: string): void {
  const heading = text?.querySelector<HTMLElement>(`[data-section="${CSS.escape(id)}"] > :first-child`);
  if (heading) {
    heading.scrollIntoView({ block: "start" });
    heading.focus({ preventScroll: true });
  } else text?.scrollTo({ top: 0 });
}

/** Id of the section that the address names, "" for the beginning; null for none. */
function useSectionInAddress(): string | null {
  return useSyncExternalStore(
    (onChange) => {
      addEventListener("hashchange", onChange);
      return () => removeEventListener("hashchange", onChange);
    },
    () => parseGuideFragment(location.hash),
  );
}
