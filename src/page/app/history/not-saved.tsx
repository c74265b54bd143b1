/** Says above the text that the run was not saved, and why. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { useStores } from "../store/stores.ts";
import "../../../view/ui/banner.css";

export function NotSavedBanner({ onHistory }: { onHistory: () => void }) {
  const { saving } = useStores();
  const { failure, isOutdated, canRetry, retry } = useStore(saving);
  if (failure === null) return null;
  return (
    <div className="banner" role="alert">
      <p>
        <strong>Not saved.</strong> {failure}
      </p>
      {isOutdated ? (
        <Button onClick={() => location.reload()}>Reload</Button>
      ) : (
        <>
          <Button weight="quiet" onClick={onHistory}>
            History
          </Button>
          {canRetry && <Button onClick={retry}>Try again</Button>}
        </>
      )}
    </div>
  );
}
