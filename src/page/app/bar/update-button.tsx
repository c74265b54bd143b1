/** Offers a newer version of the page, once it has been fetched. */
import { useStore } from "zustand";
import { IconButton } from "../../../view/ui/button.tsx";
import { pageUpdateStore } from "../offline/update-store.ts";
import { useStores } from "../store/stores.ts";

export function UpdateButton() {
  const { run } = useStores();
  const take = useStore(pageUpdateStore, (state) => state.take);
  const isBusy = useStore(run, ({ status }) => ["starting", "running", "paused"].includes(status));
  return (
    <span role="status">
      {take && (
        <IconButton
          icon="download"
          className="update-button"
          label={
            isBusy
              ? "A newer version of Midtoken is available: reload the page when the run has ended"
              : "A newer version of Midtoken is available: reload the page"
          }
          disabled={isBusy}
          onClick={take}
        />
      )}
    </span>
  );
}
