/**
 * Stands above the shown run if the editor and the bar hold something else: the user opened an earlier run, or tried an example
 * after the run.
 */
import { useState } from "react";
import { useStore } from "zustand";
import { joinNames } from "../../../core/base/number-text.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import { Button } from "../../../view/ui/button.tsx";
import { isEditorReplaced } from "../store/earlier-runs.ts";
import { forkIntoEditor } from "../store/fork.ts";
import { nextRunDifference } from "../store/next-run-difference.ts";
import { listedRunId } from "../store/shown-run.ts";
import { useStores } from "../store/stores.ts";
import "../../../view/ui/banner.css";

export function EarlierRunBanner() {
  const { run, settings, conversation, mods, model } = useStores();
  // A change of what the next run uses redraws the line.
  useStore(settings);
  useStore(conversation);
  useStore(mods);
  useStore(model);
  const { id, started, status, trace, recorded } = useStore(run);
  const editorReplaced = isEditorReplaced(trace);
  const isOpened = started?.id !== id;
  const isOver = status === "finished" || status === "failed";
  if (!isOver || recorded || trace.request === null || !(isOpened || editorReplaced)) return null;
  return <Banner key={`${id} ${editorReplaced}`} request={trace.request} editorReplaced={editorReplaced} />;
}

interface BannerProps {
  readonly request: RequestRecord;
  readonly editorReplaced: boolean;
}

function Banner({ request, editorReplaced }: BannerProps) {
  const stores = useStores();
  // A run that agreed with the editor when it was opened gets no line while the user types: the text would move.
  const [differedAtFirst] = useState(() => nextRunDifference(stores, request).length > 0);
  // A long prompt is compared at each key only where the line may be shown.
  const differences = differedAtFirst ? nextRunDifference(stores, request) : [];
  if (differences.length === 0) return null;
  const use = () => void forkIntoEditor(stores, request, listedRunId(stores.run.getState()));
  return (
    <div className="banner" role="note">
      <p>
        <strong>{editorReplaced ? "This is still the earlier run" : "Earlier run"}</strong>, made with its own{" "}
        {joinNames(differences)}.{" "}
        {editorReplaced
          ? "Press Run to use the new contents of the editor."
          : "The editor and the bar show what the next run uses."}
      </p>
      <div className="banner-actions">
        <Button onClick={use}>Load this run into the editor</Button>
      </div>
    </div>
  );
}
