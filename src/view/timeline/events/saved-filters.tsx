/** Filters that were saved under a name: to use again, overwrite or delete. */
import { type FormEvent, useState } from "react";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Popover } from "../../ui/popover.tsx";
import { maxFilterNameLength } from "./filter-limits.ts";
import "./saved-filters.css";

export interface SavedFilter {
  readonly name: string;
  readonly filter: string;
}

/** The filters that this browser saves. Absent if nothing can be saved. */
export interface SavedFilters {
  readonly list: readonly SavedFilter[];
  /** Saves a filter. A saved filter of the same name is replaced. */
  readonly onSave: (saved: SavedFilter) => void;
  readonly onDelete: (name: string) => void;
}

interface SavedFiltersMenuProps {
  readonly saved: SavedFilters;
  readonly filter: string;
  /** Whether the filter can be saved: it is not empty and has no error. */
  readonly canSave: boolean;
  readonly onUse: (filter: string) => void;
}

export function SavedFiltersMenu({ saved, filter, canSave, onUse }: SavedFiltersMenuProps) {
  return (
    <Popover
      label="Saved filters"
      buttonLabel="Saved filters"
      align="end"
      className="button button-quiet"
      trigger={
        <>
          <Icon name="star" /> Saved
          <Icon name="down" />
        </>
      }
    >
      {(close) => (
        <div className="saved-filters">
          {saved.list.length === 0 ? (
            <p className="saved-empty">
              Filters that you save are stored in this browser and work for every run.
            </p>
          ) : (
            <ul aria-label="Saved filters">
              {saved.list.map(({ name, filter: text }) => (
                <li key={name}>
                  <button
                    type="button"
                    className="saved-use"
                    onClick={() => {
                      onUse(text);
                      close();
                    }}
                  >
                    <span>{showInvisibleCharacters(name)}</span>
                    <code translate="no">{showInvisibleCharacters(text)}</code>
                  </button>
                  <IconButton
                    icon="trash"
                    label={`Delete the filter “${showInvisibleCharacters(name)}”`}
                    onClick={() => saved.onDelete(name)}
                  />
                </li>
              ))}
            </ul>
          )}
          <SaveForm
            saved={saved}
            filter={filter}
            canSave={canSave}
            onSaved={(name) => {
              saved.onSave({ name, filter });
              close();
            }}
          />
        </div>
      )}
    </Popover>
  );
}

interface SaveFormProps extends Pick<SavedFiltersMenuProps, "saved" | "filter" | "canSave"> {
  readonly onSaved: (name: string) => void;
}

function SaveForm({ saved, filter, canSave, onSaved }: SaveFormProps) {
  const [name, setName] = useState(filter.slice(0, maxFilterNameLength));
  const isKnown = saved.list.some((other) => other.name === name.trim());
  if (!canSave) return <p className="saved-hint">To save a filter, enter it in the field first.</p>;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "") onSaved(name.trim());
  };
  return (
    <form className="saved-form" onSubmit={onSubmit}>
      <label>
        Save this filter as
        <input
          className="field"
          value={name}
          maxLength={maxFilterNameLength}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <Button type="submit" weight="primary" disabled={name.trim() === ""}>
        {isKnown ? "Replace" : "Save"}
      </Button>
    </form>
  );
}
