/**
 * `useSyncExternalStoreWithSelector`, as Recharts and react-redux import it of use-sync-external-store, for the build of the element:
 * that package asks for React as CommonJS does, which would keep all of preact/compat in the script that draws the text.
 */
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";

/** The part of a store's snapshot that `selector` takes; drawn again only where `isEqual` says that it is another. */
export function useSyncExternalStoreWithSelector<Snapshot, Selection>(
  subscribe: (onChange: () => void) => () => void,
  getSnapshot: () => Snapshot,
  _getServerSnapshot: undefined | null | (() => Snapshot),
  selector: (snapshot: Snapshot) => Selection,
  isEqual: (one: Selection, other: Selection) => boolean = Object.is,
): Selection {
  /** The drawn selection: a new selector's result that is equal counts as the same. */
  const drawn = useRef<{ readonly selection: Selection } | null>(null);
  const select = useMemo(() => {
    let latest: { readonly snapshot: Snapshot; readonly selection: Selection } | null = null;
    return () => {
      const snapshot = getSnapshot();
      if (latest && Object.is(latest.snapshot, snapshot)) return latest.selection;
      const selected = selector(snapshot);
      const before = latest ?? drawn.current;
      const selection = before && isEqual(before.selection, selected) ? before.selection : selected;
      latest = { snapshot, selection };
      return selection;
    };
  }, [getSnapshot, selector, isEqual]);
  const selection = useSyncExternalStore(subscribe, select);
  useEffect(() => {
    drawn.current = { selection };
  }, [selection]);
  return selection;
}
