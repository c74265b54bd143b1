/**
 * Short notices at the edge of the page, with at most one thing to do, for example Undo. One is shown at a time: what can
 * be undone at once, and in the place of an earlier such notice; what is only said waits its turn.
 */
import { createStore, type StoreApi } from "zustand/vanilla";

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly action: { readonly label: string; readonly run: () => void } | null;
}

export interface NoticeState {
  /** The first is shown; the others wait. */
  readonly notices: readonly Notice[];
  show(text: string, action?: Notice["action"]): void;
  dismiss(id: number): void;
}

/** More than a person reads: what then comes is left out. */
const mostWaiting = 5;

export function createNoticeStore(): StoreApi<NoticeState> {
  let next = 1;
  return createStore<NoticeState>()((set) => ({
    notices: [],
    show: (text, action = null) =>
      set(({ notices }) => {
        const notice = { id: next++, text, action };
        if (action) return { notices: [notice, ...notices.filter((other) => !other.action)] };
        const isKnown = notices.some((other) => other.text === text && !other.action);
        return isKnown || notices.length >= mostWaiting ? {} : { notices: [...notices, notice] };
      }),
    dismiss: (id) => set(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) })),
  }));
}
