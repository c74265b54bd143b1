/** The stores of every view, including views without an engine. */
import type { StoreApi } from "zustand/vanilla";
import { browserStorages } from "./browser-storage.ts";
import { createNoticeStore, type NoticeState } from "./notice-store.ts";
import { openStoredValue, type Storages } from "./persist.ts";
import { createSettingsStore, parseSettings, type SettingsState } from "./settings-store.ts";
import { createStorageTroubleReporter, type StorageTroubleReporter } from "./storage-trouble.ts";

/** The stores of every view: the look of the page and its notices. */
export interface PageStores {
  readonly storages: Storages;
  readonly settings: StoreApi<SettingsState>;
  readonly notices: StoreApi<NoticeState>;
  readonly trouble: StorageTroubleReporter;
}

/** `storages`: the browser storages of the page. */
export function createPageStores(storages: Storages = browserStorages()): PageStores {
  const notices = createNoticeStore();
  const trouble = createStorageTroubleReporter(notices.getState());
  const settings = createSettingsStore(
    storedSettings(storages, trouble),
    storages.guard?.settingsProblem ?? (() => null),
    notices.getState().show,
  );
  return { storages, notices, trouble, settings };
}

const storedSettings = (storages: Storages, trouble: StorageTroubleReporter) => {
  const parse = (value: unknown) => {
    const settings = parseSettings(value);
    if (settings) storages.guard?.checkSettings(settings);
    return settings;
  };
  return openStoredValue(storages, "midtoken.settings.v1", parse, trouble);
};

/** Reads the settings again, such as the theme, which another view of this tab may have changed. */
export function readSettingsAgain({ storages, trouble, settings }: PageStores): void {
  const saved = storedSettings(storages, trouble).load();
  if (saved) settings.setState(saved);
}
