/** Why a link cannot be opened. */
import { TraceVersionError } from "../../../core/trace/format/trace-error.ts";
import { Button } from "../../../view/ui/button.tsx";
import type { PageStores } from "../store/page-stores.ts";
import { UnreadLinkPage } from "./front-page.tsx";

export function BrokenLink({ page, error }: { page: PageStores; error: Error }) {
  const isNewer = error instanceof TraceVersionError;
  return (
    <UnreadLinkPage page={page}>
      <h2>{isNewer ? "This link was made by a newer version of Midtoken" : "This link cannot be opened"}</h2>
      <p>{error.message}</p>
      <p>Nothing has run, and none of your work has changed.</p>
      <p className="fault-actions">
        {isNewer && (
          <Button weight="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        )}
        <a className={isNewer ? "button" : "button button-primary"} href="./#">
          Open the playground
        </a>
      </p>
    </UnreadLinkPage>
  );
}
