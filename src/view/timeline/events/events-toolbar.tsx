/** The bar above the event list: the filter, saved filters, and settings of the list. */
import type { RefObject } from "react";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { Button } from "../../ui/button.tsx";
import { countWithNoun, formatCount } from "../../ui/format.ts";
import { SegmentedControl } from "../../ui/segmented.tsx";
import { displayedModNames } from "./completion.ts";
import type { EventRows } from "./event-rows.ts";
import { allClosed, allOpen } from "./event-tree.ts";
import type { EventsView } from "./events-view.ts";
import { FilterField } from "./filter-field.tsx";
import type { FilterHighlight, FilterProblem } from "./filter-language.ts";
import { type SavedFilters, SavedFiltersMenu } from "./saved-filters.tsx";

interface EventsToolbarProps {
  readonly trace: TraceModel;
  readonly view: EventsView;
  readonly rows: EventRows;
  readonly found: Uint32Array | null;
  readonly share: number | null;
  readonly parts: readonly FilterHighlight[];
  readonly problem: FilterProblem | null;
  readonly savedFilters: SavedFilters | null;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly onView: (view: EventsView) => void;
  /** Moves the focus from the filter to the list. */
  readonly onLeave: () => void;
}

const shapes = [
  { value: "table", label: "Table" },
  { value: "tree", label: "Tree" },
] as const;

export function EventsToolbar(props: EventsToolbarProps) {
  const { trace, view, rows, found, share, parts, problem, savedFilters, field, onView, onLeave } = props;
  const change = (changes: Partial<EventsView>) => onView({ ...view, ...changes });
  return (
    <div className="events-filter">
      <FilterField
        ref={field}
        value={view.filter}
        parts={parts}
        problem={problem}
        mods={displayedModNames(trace)}
        onChange={(filter) => change({ filter })}
        onLeave={onLeave}
      />
      <span className="events-count" aria-live="polite">
        {found && `${formatCount(found.length)} of `}
        {formatCount(rows.count)} rows
        {share !== null && `, ${Math.floor(share * 100)}% searched`}
      </span>
      <div className="events-tools">
        {(rows.hidden > 0 || view.withSilent) && (
          <Button
            weight="quiet"
            title="Mod calls that returned no action and logged nothing"
            onClick={() => change({ withSilent: !view.withSilent })}
          >
            {view.withSilent ? "Hide silent calls" : `Show ${countWithNoun(rows.hidden, "silent call")}`}
          </Button>
        )}
        {view.shape === "tree" && (
          <Button
            weight="quiet"
            onClick={() => change({ open: view.open === allOpen ? allClosed : allOpen })}
          >
            {view.open === allOpen ? "Collapse all" : "Expand all"}
          </Button>
        )}
        {savedFilters && (
          <SavedFiltersMenu
            saved={savedFilters}
            filter={view.filter.trim()}
            canSave={view.filter.trim() !== "" && problem === null}
            onUse={(filter) => change({ filter })}
          />
        )}
        <Button
          weight="quiet"
          aria-pressed={view.withRecord}
          title="The raw record of the chosen row"
          onClick={() => change({ withRecord: !view.withRecord })}
        >
          Raw record
        </Button>
        <SegmentedControl
          label="Layout"
          value={view.shape}
          options={shapes}
          onChange={(shape) => change({ shape })}
        />
      </div>
    </div>
  );
}
