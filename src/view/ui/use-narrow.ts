/** Whether the window is too narrow for the panes to stand side by side. */
import { useSyncExternalStore } from "react";

const query = "(max-width: 899px)";

export function useNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = matchMedia(query);
      media.addEventListener("change", onChange);
      return () => media.removeEventListener("change", onChange);
    },
    () => matchMedia(query).matches,
  );
}
