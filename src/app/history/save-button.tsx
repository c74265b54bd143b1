/** Saves a run from elsewhere among the user's own. What does that is fetched when it is asked for. */
import { useState } from "react";
import { importPart } from "../../base/import-part.ts";
import type { PageStores } from "../store/stores.ts";
import { Button } from "../ui/button.tsx";
import { tell } from "./tell.ts";

type Saving = typeof import("./save-shown.ts");

interface SaveButtonProps extends Pick<PageStores, "notices"> {
  readonly isSaved: boolean;
  readonly save: (saving: Saving) => Promise<void>;
}

export function SaveButton({ isSaved, notices, save }: SaveButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    await tell({ notices }, async () =>
      save(await importPart("What saves runs", () => import("./save-shown.ts"), "saveShown")),
    );
    setBusy(false);
  };
  return (
    <Button weight="quiet" disabled={isSaved || isBusy} onClick={() => void start()}>
      {isSaved ? "Saved" : "Save to my runs"}
    </Button>
  );
}
