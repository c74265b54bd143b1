/** Switches the theme: system, light, dark, in turn. */
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { IconButton } from "../../../view/ui/button.tsx";
import type { SettingsState, Theme } from "../store/settings-store.ts";

const after: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };
const icons = { system: "auto", light: "sun", dark: "moon" } as const;

export function ThemeButton({ settings }: { settings: StoreApi<SettingsState> }) {
  const { theme, change } = useStore(settings);
  return (
    <IconButton
      icon={icons[theme]}
      label={`Theme: ${theme}. Change to ${after[theme]}`}
      onClick={() => change({ theme: after[theme] })}
    />
  );
}
