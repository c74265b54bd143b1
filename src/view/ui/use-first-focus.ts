/** Gives a field the focus before anything is drawn, so that no key goes elsewhere. */
import { type RefObject, useLayoutEffect } from "react";

/** @param isWanted the field gets the focus when this becomes true, not each time its pane is drawn. */
export function useFirstFocus(field: RefObject<HTMLElement | null>, isWanted = true): void {
  useLayoutEffect(() => {
    if (isWanted) field.current?.focus();
  }, [field, isWanted]);
}
