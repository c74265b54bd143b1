/** Tabs after the ARIA pattern: the Tab key stops once, and the arrow keys move to and select a tab. */
import type { KeyboardEvent, ReactNode } from "react";
import "./tabs.css";

interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: ReactNode;
}

interface TabsProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly active: Id;
  /** The panel of a tab has the id `${name}-${tab}`. */
  readonly name: string;
  readonly onSelect: (id: Id) => void;
}

export function Tabs<Id extends string>({ label, tabs, active, name, onSelect }: TabsProps<Id>) {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -tabs.length, End: tabs.length }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const index = tabs.findIndex(({ id }) => id === active);
    const next = tabs[Math.max(0, Math.min(tabs.length - 1, index + by))];
    if (!next) return;
    onSelect(next.id);
    event.currentTarget.querySelector<HTMLElement>(`#${name}-tab-${next.id}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={label} className="tabs" onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          id={`${name}-tab-${tab.id}`}
          aria-selected={tab.id === active}
          aria-controls={tab.id === active ? `${name}-${tab.id}` : undefined}
          tabIndex={tab.id === active ? 0 : -1}
          className="tab"
          onClick={() => onSelect(tab.id)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
