/** Short notices at the edge of the page, with at most one thing to do, for example Undo. */
import { createStore, type StoreApi } from "zustand/vanilla";

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly action: { readonly label: string; readonly run: () => void } | null;
}

export interface NoticeState {
  readonly notices: readonly Notice[];
  show(text: string, action?: Notice["action"]): void;
  dismiss(id: number): void;
}

export function createNoticeStore(): StoreApi<NoticeState> {
  let next = 1;
  return createStore<NoticeState>()((set) => ({
    notices: [],
    show: (text, action = null) =>
      set(({ notices }) => ({ notices: [...notices.slice(-2), { id: next++, text, action }] })),
    dismiss: (id) => set(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) })),
  }));
}
