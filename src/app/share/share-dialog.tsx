import type { StoreApi } from "zustand/vanilla";
import type { RunState } from "../store/run-store.ts";
import { Dialog } from "../ui/dialog.tsx";

export function ShareDialog({ onClose }: { run: StoreApi<RunState>; onClose: () => void }) {
  return <Dialog title="Share this run" onClose={onClose}>…</Dialog>;
}
