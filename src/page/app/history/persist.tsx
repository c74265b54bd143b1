/** Asks the browser for persistent storage. Without it a browser may delete a site's data when the disk is nearly full. */
import { useState } from "react";
import { useStores } from "../store/stores.ts";

export function PersistStorageButton() {
  const { notices } = useStores();
  const [isAsked, setAsked] = useState(false);
  if (isAsked) return null;
  const ask = async () => {
    setAsked(true);
    const isGranted = await navigator.storage.persist();
    notices
      .getState()
      .show(
        isGranted
          ? "The browser will not clear your runs automatically."
          : "The browser refused: it may clear saved runs when the disk is nearly full. Save important runs as files.",
      );
  };
  return (
    <>
      The browser may clear saved runs when the disk is nearly full.{" "}
      <button type="button" className="link" onClick={() => void ask()}>
        Ask the browser to preserve saved runs
      </button>
    </>
  );
}
