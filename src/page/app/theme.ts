/** Puts the chosen theme on the document; `system` leaves it to the browser. */
import type { StoreApi } from "zustand/vanilla";
import type { SettingsState } from "./store/settings-store.ts";

export function followTheme(settings: StoreApi<SettingsState>): void {
  const apply = ({ theme }: { theme: SettingsState["theme"] }) => {
    if (theme === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = theme;
  };
  apply(settings.getState());
  settings.subscribe(apply);
}

/** Whether the page is dark now. */
export function isDark(theme: SettingsState["theme"]): boolean {
  return theme === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
}
