/** Says that a mod of the shown run, or of the next run, is made for another kind of model, and offers to run it on one. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { formatBytes } from "../../../view/ui/format.ts";
import { unsuitedModNames } from "../store/model-kind.ts";
import { useStores } from "../store/stores.ts";
import { useInstructModel } from "../store/use-instruct-model.ts";
import "../../../view/ui/banner.css";
import "./model-hint.css";

export function UnsuitedModelNotice({ onRun }: { onRun: () => void }) {
  const { model } = useStores();
  const names = useUnsuitedNames();
  const instruct = useInstructModel();
  if (names.length === 0) return null;
  const runThere = () => {
    if (instruct) model.getState().choose(instruct.reference);
    onRun();
  };
  return (
    <div className="banner model-hint" role="note">
      <p>
        <strong>{names.join(" and ")}</strong> {names.length === 1 ? "is" : "are"} made for a model that
        follows instructions. The story model only tells stories, so the effect may not show.
      </p>
      {instruct && (
        <Button onClick={runThere}>
          Run on {instruct.title}
          {instruct.origin === "hub" && ` (${formatBytes(instruct.downloadBytes)})`}
        </Button>
      )}
    </div>
  );
}

/** Names of mods that need an instruct model and ran on the story model, or would run on it next. */
function useUnsuitedNames(): readonly string[] {
  const { run, mods, model } = useStores();
  const ranOn = useStore(run, ({ trace, version }) => (version >= 0 ? trace.request?.model.id : undefined));
  const modIds = useStore(run, (state) => state.modIds);
  const list = useStore(mods, (state) => state.mods);
  const chosen = useStore(model, ({ choice }) => choice?.reference.id);
  const ran = list.filter(({ id }) => modIds.includes(id));
  const next = list.filter(({ enabled }) => enabled);
  const unsuited = (id: string | undefined, among: typeof list) =>
    id === undefined ? [] : unsuitedModNames(id, among);
  return [...new Set([...unsuited(ranOn, ran), ...unsuited(chosen, next)])];
}
