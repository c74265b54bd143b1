/** The one script of a saved page, which shows its run and reaches nothing (`trace/file/export-formats/html.ts`). */
import "./app.css";
import "./print.css";
import { createRoot } from "react-dom/client";
import { runInSlices } from "../../core/base/in-slices.ts";
import { traceElementId, traceInText } from "../../core/trace/file/export-formats/html.ts";
import { openingFile } from "../../core/trace/file/opening-model.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { ErrorBoundary } from "../../view/ui/error-boundary.tsx";
import { BrokenFile, FileView, ReadingFile } from "./share/file-view.tsx";
import { createSettingsStore } from "./store/settings-store.ts";
import { followTheme } from "./theme.ts";

const root = document.getElementById("root");
const text = document.getElementById(traceElementId)?.textContent ?? "";
if (!root) throw new Error("The page has no element with the id root.");
const drawn = createRoot(root);
/** A file keeps nothing: browsers give it no storage of its own. */
const settings = createSettingsStore(
  { load: () => null, save() {} },
  () => null,
  () => {},
);
followTheme(settings);

const show = (trace: TraceModel) =>
  drawn.render(
    <ErrorBoundary>
      <FileView trace={trace} settings={settings} />
    </ErrorBoundary>,
  );

/** A text that is no run is an error as any other. */
async function read(): Promise<TraceModel> {
  return runInSlices(openingFile(traceInText(text.trim())).steps, {
    onProgress: (share) => drawn.render(<ReadingFile share={share} />),
  });
}

read().then(show, (cause: unknown) =>
  drawn.render(<BrokenFile error={cause instanceof Error ? cause : new Error(String(cause))} />),
);
