/** What the read pane shows before the first run: what will happen, and the button for it. */
import { useStore } from "zustand";
import { markWords } from "../../../view/timeline/mark-words.ts";
import { Button } from "../../../view/ui/button.tsx";
import { useStores } from "../store/stores.ts";
import { markMeanings } from "./mark-meanings.ts";
import { StartFailure } from "./start-failure.tsx";
import "./welcome.css";

export function Welcome({ onRun }: { onRun: () => void }) {
  const { model, mods, run } = useStores();
  const { choice } = useStore(model);
  const active = useStore(mods, (state) => state.mods).filter(({ enabled }) => enabled);
  const status = useStore(run, (state) => state.status);
  const failure = useStore(run, (state) => state.startFailure);
  return (
    <div className="welcome">
      {failure !== null && <StartFailure message={failure} hasRunBefore={false} />}
      <h2>Change what a model says, while it says it.</h2>
      <p>
        {active.length > 0 ? (
          <>
            Press Run: the model writes, and{" "}
            {active.map(({ id, name }, index) => (
              <span key={id}>
                {index > 0 && (index === active.length - 1 ? " and " : ", ")}
                <code>{name}</code>
              </span>
            ))}{" "}
            {active.length === 1 ? "steps" : "step"} in at every token.
          </>
        ) : (
          <>Press Run: the model writes on its own. Add a mod to step in at every token.</>
        )}{" "}
        Here you then see the text, with each word that a mod forced, adjusted or removed, and why.
      </p>
      <Button weight="primary" icon="play" keys="Ctrl ↵" disabled={status === "starting"} onClick={onRun}>
        Run
      </Button>
      <dl className="welcome-key" aria-label="How words are marked">
        {markWords.map(({ mark, word }) => (
          <div key={mark}>
            <dt>
              <span className={`summary-mark summary-${mark}`}>{word}</span>
            </dt>
            <dd>{markMeanings[mark]}</dd>
          </div>
        ))}
      </dl>
      {choice && <p className="welcome-note">The model runs in this browser. Nothing you write leaves it.</p>}
    </div>
  );
}
