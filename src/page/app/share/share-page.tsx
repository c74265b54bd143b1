/** The form for a page: one file with the viewer and the run, which any browser opens, also offline. */

import { loadInlineViewer } from "virtual:inline-viewer";
import { useCallback, useEffect, useMemo, useState } from "react";
import { importProgramPart } from "../../../core/base/import-part.ts";
import { type ResumableWork, scaleProgress } from "../../../core/base/resumable-work.ts";
import { encodingTraceFile } from "../../../core/trace/codec/codec.ts";
import { htmlWithTrace, type InlineViewer } from "../../../core/trace/file/export-formats/html.ts";
import { outputTextOf } from "../../../core/trace/model/output-text.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { Button } from "../../../view/ui/button.tsx";
import { formatBytes } from "../../../view/ui/format.ts";
import { saveFile } from "./save-file.ts";
import { ShareActions, ShareSize } from "./share-actions.tsx";
import { fileNameOf, type RunToShare } from "./shared.ts";
import { useStepsResult } from "./use-made.ts";

export function ShareHtmlFile({ shared }: { shared: RunToShare }) {
  const [viewer, setViewer] = useState<InlineViewer | Error | null>(null);
  const fetchViewer = useCallback(() => {
    setViewer(null);
    importProgramPart("The viewer", loadInlineViewer, "viewer").then(
      (module) => setViewer(module.viewer),
      (cause: unknown) => setViewer(cause instanceof Error ? cause : new Error(String(cause))),
    );
  }, []);
  useEffect(fetchViewer, [fetchViewer]);
  const made = useStepsResult(
    useMemo(
      () => (viewer === null || viewer instanceof Error ? null : () => makingPage(shared, viewer)),
      [shared, viewer],
    ),
  );
  const page = viewer instanceof Error ? viewer : made;
  return (
    <>
      <p className="share-lead">
        One file that shows this timeline in any browser, even offline. The file contains the whole run, uses
        no network, and runs none of the mods. Drop the file on Midtoken’s page to open the run there.
      </p>
      <ShareSize made={page}>
        {page instanceof Uint8Array &&
          `${formatBytes(page.length)}, including ${viewerSize(viewer)} for the viewer.`}
      </ShareSize>
      <ShareActions>
        {viewer instanceof Error && <Button onClick={fetchViewer}>Try again</Button>}
        <Button
          weight="primary"
          icon="download"
          disabled={!(page instanceof Uint8Array)}
          onClick={() => page instanceof Uint8Array && saveFile(`${fileNameOf(shared.trace)}.html`, page)}
        >
          Save the page
        </Button>
      </ShareActions>
    </>
  );
}

function viewerSize(viewer: InlineViewer | Error | null): string {
  return viewer === null || viewer instanceof Error
    ? ""
    : formatBytes(viewer.script.length + viewer.style.length);
}

function* makingPage(
  { model, trace, notes }: RunToShare,
  viewer: InlineViewer,
): ResumableWork<Uint8Array<ArrayBuffer>> {
  const file = yield* scaleProgress(encodingTraceFile(trace, notes), 0, 0.8);
  const title = `${showInvisibleCharacters(outputTextOf(model).trim(), 60)} · Midtoken`;
  return yield* scaleProgress(htmlWithTrace(file, viewer, title), 0.8, 1);
}
