/** The only script of a saved page. It shows the run of the page and makes no request (`trace/file/export-formats/html.ts`). */
import "./app.css";
import "./print.css";
import { createRoot } from "react-dom/client";
import { runInSlices } from "../../core/base/in-slices.ts";
import { traceElementId, traceInElementText } from "../../core/trace/file/export-formats/html.ts";
import { startOpeningFile } from "../../core/trace/file/opening-model.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { ErrorBoundary } from "../../view/ui/error-boundary.tsx";
import { BrokenFile, FileReadingProgress, SavedRunView } from "./share/file-view.tsx";
import { createSettingsStore } from "./store/settings-store.ts";
import { followTheme } from "./theme.ts";

const root = document.getElementById("root");
const text = document.getElementById(traceElementId)?.textContent ?? "";
if (!root) throw new Error("The page has no element with the id root.");
const drawn = createRoot(root);
/** A file saves no settings: browsers give a file no storage of its own. */
const settings = createSettingsStore(
  { load: () => null, save() {} },
  () => null,
  () => {},
);
followTheme(settings);

const show = (trace: TraceModel) =>
  drawn.render(
    <ErrorBoundary>
      <SavedRunView trace={trace} settings={settings} />
    </ErrorBoundary>,
  );

/** A text that is no run is handled like any other error. */
async function read(): Promise<TraceModel> {
  return runInSlices(startOpeningFile(traceInElementText(text.trim())).steps, {
    onProgress: (share) => drawn.render(<FileReadingProgress share={share} />),
  });
}

read().then(show, (cause: unknown) =>
  drawn.render(<BrokenFile error={cause instanceof Error ? cause : new Error(String(cause))} />),
);
