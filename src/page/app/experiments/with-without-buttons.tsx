/** The buttons that compare a run with the same run without mods. */
import { Button } from "../../../view/ui/button.tsx";
import type { PageActions } from "../page-actions.ts";
import { useStores } from "../store/stores.ts";
import { repeatWithAndWithoutMods } from "./with-without.ts";

interface WithWithoutProps {
  readonly page: PageActions;
  /** True while the run goes on: the buttons keep their place. */
  readonly disabled: boolean;
}

/** For the run that is shown: one seed shows both texts side by side, eight seeds make a table. */
export function WithWithoutButtons({ page, disabled }: WithWithoutProps) {
  const stores = useStores();
  return (
    <>
      <Button
        weight="quiet"
        disabled={disabled}
        title="Run again without the mods and show both texts side by side"
        onClick={() => repeatWithAndWithoutMods(stores, page, 1)}
      >
        Try without mods
      </Button>
      <Button
        weight="quiet"
        className="eight-seeds"
        disabled={disabled}
        title="Run with and without the mods, with 8 seeds each, and show a table"
        onClick={() => repeatWithAndWithoutMods(stores, page, 8)}
      >
        8 seeds
      </Button>
    </>
  );
}
