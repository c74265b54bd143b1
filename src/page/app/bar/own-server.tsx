/** "Your own server": a model that runs on a server. No server is asked before the user opens this part. */
import { useState } from "react";
import { useStore } from "zustand";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import { useStores } from "../store/stores.ts";
import { OwnServerForm } from "./own-server-form.tsx";
import "../../../view/ui/form.css";
import "./own-server.css";

export function OwnServerSection({ catalog }: { catalog: readonly CatalogEntry[] }) {
  const { model } = useStores();
  const isChosen = useStore(model, ({ choice }) => choice?.reference.server !== undefined);
  const [isOpen, setIsOpen] = useState(isChosen);
  return (
    <details
      className="own-server"
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>Your own server</summary>
      {isOpen && <OwnServerForm catalog={catalog} />}
    </details>
  );
}
