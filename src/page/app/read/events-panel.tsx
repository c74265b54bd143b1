/** The event list with the saved filters of this browser. */
import { type ComponentProps, useMemo } from "react";
import { useStore } from "zustand";
import { createStore, type StoreApi } from "zustand/vanilla";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { EventsTable } from "../../../view/timeline/events/events-table.tsx";
import { createSavedFiltersStore, type SavedFiltersState } from "../store/event-filters.ts";
import type { PageStores } from "../store/page-stores.ts";

interface EventsPanelProps extends Omit<ComponentProps<typeof EventsTable>, "savedFilters"> {
  /** Absent if the page can save nothing, as in a file. */
  readonly page: Pick<PageStores, "storages" | "notices" | "trouble"> | null;
}

/** One store for each storage. The store listens to other tabs as long as the page is open. */
const stores = new WeakMap<Storage, StoreApi<SavedFiltersState>>();
const nothing = createStore<SavedFiltersState>()(() => ({
  list: [],
  save: () => () => {},
  remove: () => () => {},
}));

function storeOf({
  storages,
  trouble,
}: Pick<PageStores, "storages" | "trouble">): StoreApi<SavedFiltersState> {
  const { browser } = storages;
  const store = stores.get(browser) ?? createSavedFiltersStore(browser, trouble, window);
  stores.set(browser, store);
  return store;
}

export function EventsPanel({ page, ...table }: EventsPanelProps) {
  const { list, save, remove } = useStore(page ? storeOf(page) : nothing);
  const savedFilters = useMemo(() => {
    if (!page) return null;
    const { show } = page.notices.getState();
    return {
      list,
      onSave: (saved: { name: string; filter: string }) =>
        show(`Saved the filter “${showInvisibleCharacters(saved.name)}”.`, {
          label: "Undo",
          run: save(saved),
        }),
      onDelete: (name: string) =>
        show(`Deleted the filter “${showInvisibleCharacters(name)}”.`, { label: "Undo", run: remove(name) }),
    };
  }, [page, list, save, remove]);
  return <EventsTable {...table} savedFilters={savedFilters} />;
}
