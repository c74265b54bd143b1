/** Passes the user's memory budget for models to the engine. */
import type { StoreApi } from "zustand/vanilla";
import type { Session } from "../../../runtime/session/page-side/session.ts";
import { defaultMemoryBudget } from "../../../runtime/session/shared/memory-budget.ts";
import type { SettingsState } from "./settings-store.ts";

/** Milliseconds to wait after the last change: a user who types 12 types 1 first, and a budget of 1 would release models. */
const settleMs = 1_000;

export function followMemoryBudget(
  settings: StoreApi<SettingsState>,
  session: Pick<Session, "setMemoryBudget">,
): void {
  const hand = () => session.setMemoryBudget(settings.getState().memoryBudget ?? defaultMemoryBudget());
  if (settings.getState().memoryBudget !== null) hand();
  let timer: ReturnType<typeof setTimeout> | undefined;
  settings.subscribe((now, before) => {
    if (now.memoryBudget === before.memoryBudget) return;
    clearTimeout(timer);
    timer = setTimeout(hand, settleMs);
  });
}
