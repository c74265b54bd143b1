/** Notices at the foot of the page. They leave by themselves, but not while one is pointed at or focused. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import type { Notice, NoticeState } from "../store/notice-store.ts";
import { Button, IconButton } from "./button.tsx";
import "./notices.css";

const shownForMs = 10_000;

export function Notices({ notices }: { notices: StoreApi<NoticeState> }) {
  const { notices: list, dismiss } = useStore(notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {list.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} onDismiss={() => dismiss(notice.id)} />
      ))}
    </div>
  );
}

function NoticeCard({ notice, onDismiss }: { notice: Notice; onDismiss: () => void }) {
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
        <Button
          weight="quiet"
          onClick={() => {
            notice.action?.run();
            onDismiss();
          }}
        >
          {notice.action.label}
        </Button>
      )}
      <IconButton icon="close" label="Dismiss" onClick={onDismiss} />
    </div>
  );
}
