/** The stores of every view, including views without an engine. */
import type { StoreApi } from "zustand/vanilla";
import { browserStorages } from "./browser-storage.ts";
import { createNoticeStore, type NoticeState } from "./notice-store.ts";
import { openStoredValue, type Storages } from "./persist.ts";
import { createSettingsStore, parseSettings, type SettingsState } from "./settings-store.ts";

/** The stores of every view: the look of the page and its notices. */
export interface PageStores {
  readonly storages: Storages;
  readonly settings: StoreApi<SettingsState>;
  readonly notices: StoreApi<NoticeState>;
}

/** `storages`: the browser storages of the page. */
export function createPageStores(storages: Storages = browserStorages()): PageStores {
  const notices = createNoticeStore();
  const settings = createSettingsStore(
    keptSettings(storages, notices),
    storages.guard?.settingsProblem ?? (() => null),
    notices.getState().show,
  );
  return { storages, notices, settings };
}

const keptSettings = (storages: Storages, notices: StoreApi<NoticeState>) => {
  const parse = (value: unknown) => {
    const settings = parseSettings(value);
    if (settings) storages.guard?.checkSettings(settings);
    return settings;
  };
  return openStoredValue(storages, "midtoken.settings.v1", parse, notices.getState().show);
};

/** Reads again what another view of this tab changed meanwhile, such as the theme. */
export function readSettingsAgain({ storages, notices, settings }: PageStores): void {
  const kept = keptSettings(storages, notices).load();
  if (kept) settings.setState(kept);
}
