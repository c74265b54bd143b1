/** Says that a mod of the run was made for another kind of model, and offers to run it on one. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { formatBytes } from "../../../view/ui/format.ts";
import { unsuitedMods } from "../store/model-kind.ts";
import { useStores } from "../store/stores.ts";
import { useInstructModel } from "../store/use-instruct-model.ts";
import "../../../view/ui/banner.css";
import "./model-hint.css";

export function ModelHint({ onRun }: { onRun: () => void }) {
  const { run, mods, model } = useStores();
  const ranOn = useStore(run, ({ trace, version }) => (version >= 0 ? trace.request?.model.id : undefined));
  const modIds = useStore(run, (state) => state.modIds);
  const list = useStore(mods, (state) => state.mods);
  const instruct = useInstructModel();
  const ran = list.filter(({ id }) => modIds.includes(id));
  const names = ranOn === undefined ? [] : unsuitedMods(ranOn, ran);
  if (names.length === 0) return null;
  const runThere = () => {
    if (instruct) model.getState().choose(instruct.reference);
    onRun();
  };
  return (
    <div className="banner model-hint" role="note">
      <p>
        <strong>{names.join(" and ")}</strong> {names.length === 1 ? "is" : "are"} made for a model that
        follows instructions. This one only tells stories, so the effect may not show.
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
