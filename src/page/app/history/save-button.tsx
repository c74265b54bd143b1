/** Saves an imported run in the user's list. The code that saves is loaded on demand. */
import { useState } from "react";
import { importProgramPart } from "../../../core/base/import-part.ts";
import { Button } from "../../../view/ui/button.tsx";
import type { PageStores } from "../store/page-stores.ts";
import { runWithFailureNotice } from "./run-with-notice.ts";

type Saving = typeof import("./save-shown.ts");

interface SaveButtonProps extends Pick<PageStores, "notices"> {
  readonly isSaved: boolean;
  /** True while the run is still loading. */
  readonly waits?: boolean;
  readonly save: (saving: Saving) => Promise<void>;
}

export function SaveButton({ isSaved, waits = false, notices, save }: SaveButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    await runWithFailureNotice({ notices }, async () =>
      save(await importProgramPart("Saving runs", () => import("./save-shown.ts"), "saveShownRun")),
    );
    setBusy(false);
  };
  return (
    <Button weight="quiet" disabled={isSaved || isBusy || waits} onClick={() => void start()}>
      {isSaved ? "Saved" : "Save to my runs"}
    </Button>
  );
}
