/**
 * `useSyncExternalStoreWithSelector`, which Recharts and react-redux import from use-sync-external-store, for the build of the
 * element. That package loads React with `require`, which would keep all of preact/compat in the script that draws the text.
 */
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";

/** Returns the part of a store's snapshot that `selector` selects. Renders again only if `isEqual` returns false. */
export function useSyncExternalStoreWithSelector<Snapshot, Selection>(
  subscribe: (onChange: () => void) => () => void,
  getSnapshot: () => Snapshot,
  _getServerSnapshot: undefined | null | (() => Snapshot),
  selector: (snapshot: Snapshot) => Selection,
  isEqual: (one: Selection, other: Selection) => boolean = Object.is,
): Selection {
  /** The last rendered selection, which is kept if the result of a new selector is equal. */
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
