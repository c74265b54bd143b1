/** The present notice. It disappears after a while, but not while the pointer or the focus is on it. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { Button, IconButton } from "../../view/ui/button.tsx";
import type { Notice, NoticeState } from "./store/notice-store.ts";
import "./notices.css";

const shownForMs = 10_000;

export function Notices({ notices }: { notices: StoreApi<NoticeState> }) {
  const { notices: list, dismiss, act } = useStore(notices);
  const [shown] = list;
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown && (
        <NoticeCard
          key={shown.id}
          notice={shown}
          onDismiss={() => dismiss(shown.id)}
          onAct={() => act(shown.id)}
        />
      )}
    </div>
  );
}

interface NoticeCardProps {
  readonly notice: Notice;
  readonly onDismiss: () => void;
  readonly onAct: () => void;
}

function NoticeCard({ notice, onDismiss, onAct }: NoticeCardProps) {
  const [held, setHeld] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time starts anew only when the notice is let go
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(onDismiss, shownForMs);
    return () => clearTimeout(timer);
  }, [held]);
  const hold = { onFocus: () => setHeld(true), onBlur: () => setHeld(false) };
  return (
    <div
      className="notice"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      {...hold}
    >
      <p>{notice.text}</p>
      {notice.action && (
        <Button weight="quiet" onClick={onAct}>
          {notice.action.label}
        </Button>
      )}
      <IconButton icon="close" label="Dismiss" onClick={onDismiss} />
    </div>
  );
}
