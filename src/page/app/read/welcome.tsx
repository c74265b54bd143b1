/** The reading pane before the first run: an outlook, three examples, and the legend of the marks. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { loadNamedExampleLazily } from "../store/late-fork.ts";
import { isStoryModel } from "../store/model-kind.ts";
import { useStores } from "../store/stores.ts";
import { MarkLegend } from "./mark-legend.tsx";
import { StartFailure } from "./start-failure.tsx";
import "./welcome.css";

/** The end of the sentence, by the number of mods that take part. */
const editors = [
  ". Add a mod, a script that edits the text.",
  " while a small script, called a mod, edits it word by word.",
  " while two small scripts, called mods, edit it word by word.",
  " while your mods edit it word by word.",
];

/** Label and name of the example, whose title begins with the label. All of them work on the story model. */
export const welcomeExamples = [
  ["Ban a word", "ban-word"],
  ["Answer in JSON", "character-sheet"],
  ["Ask a hidden question", "hidden-question"],
] as const;

export function Welcome({ onRun }: { onRun: () => void }) {
  const stores = useStores();
  const { model, mods, run } = stores;
  const { choice } = useStore(model);
  const active = useStore(mods, (state) => state.mods).filter(({ enabled }) => enabled);
  const failure = useStore(run, (state) => state.startFailure);
  const isStory = isStoryModel(choice?.reference.id ?? "");
  const start = async (name: string) => {
    if (await loadNamedExampleLazily(stores, name)) onRun();
  };
  return (
    <div className="welcome">
      {failure !== null && <StartFailure message={failure} hasRunBefore={false} />}
      <h2>Change what a model says while it says it.</h2>
      <p>
        {isStory ? "Watch a small model tell a story" : "Watch the model write"}
        {editors[Math.min(active.length, 3)]} Press Run.
      </p>
      <p className="welcome-chips">
        Or run an example:
        {welcomeExamples.map(([label, name]) => (
          <Button key={name} onClick={() => void start(name)}>
            {label}
          </Button>
        ))}
      </p>
      <MarkLegend className="mark-list" has={(mark) => mark !== "same"} />
      {choice && (
        <p className="welcome-note">
          {choice.reference.server
            ? "Your text goes to the server that you chose."
            : "The model runs in this browser. Your text stays on this device."}
        </p>
      )}
    </div>
  );
}
