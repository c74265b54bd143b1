/**
 * The dialog "Repeat and check this run": asks its mods or the mods of the editor again without the model, or runs the whole request
 * again.
 */
import { useEffect, useRef, useState } from "react";
import { messageOf } from "../../../core/base/message-of.ts";
import { selectToken } from "../../../core/trace/model/selection.ts";
import { Button } from "../../../view/ui/button.tsx";
import { Dialog } from "../../../view/ui/dialog.tsx";
import { countWithNoun } from "../../../view/ui/format.ts";
import { SourceDialog } from "../share/source-dialog.tsx";
import { useStores } from "../store/stores.ts";
import { editedMods, type VerificationVerdict, verifyByRerun, verifyModReplies } from "./verify-shown.ts";
import "./verify-dialog.css";

type Way = "mods" | "editor" | "again";

/** Imported runs whose mods the user has read and allowed to run, as long as the page is open. */
const accepted = new WeakSet<object>();

export function VerifyDialog({ onClose }: { onClose: () => void }) {
  const stores = useStores();
  const [{ trace, recorded }] = useState(() => stores.run.getState());
  const [edited] = useState(() => editedMods(stores));
  const [asking, setAsking] = useState<Way | null>(null);
  const [running, setRunning] = useState<{ readonly way: Way; readonly tokens: number } | null>(null);
  const [verdict, setVerdict] = useState<VerificationVerdict | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => {
    const controller = stop.current;
    return () => controller.abort();
  }, []);

  const start = async (way: Way) => {
    stop.current.abort();
    const controller = new AbortController();
    stop.current = controller;
    const { signal } = controller;
    setVerdict(null);
    setRunning({ way, tokens: 0 });
    const act = () =>
      way === "again"
        ? verifyByRerun(stores, signal, (tokens) => setRunning({ way, tokens }))
        : verifyModReplies(stores, signal, way === "editor" ? edited : null);
    try {
      const found = await act();
      if (signal.aborted) return;
      setVerdict(found);
      if (found.index !== null) stores.run.getState().select(selectToken(found.index));
    } catch (cause) {
      if (signal.aborted) return;
      setVerdict({ kind: "unknown", sentence: messageOf(cause), details: [], index: null, hint: "" });
    }
    setRunning(null);
  };
  const ask = (way: Way) => {
    if (recorded && !accepted.has(trace)) setAsking(way);
    else void start(way);
  };

  if (asking) {
    return (
      <SourceDialog
        trace={trace}
        meaning=", and the replies are compared with the recorded replies. Your editor does not change."
        onClose={() => setAsking(null)}
        onRun={() => {
          accepted.add(trace);
          setAsking(null);
          void start(asking);
        }}
      />
    );
  }
  const isBusy = running !== null;
  return (
    <Dialog title="Repeat and check this run" onClose={onClose}>
      <section className="verify-way">
        <h3>The mods</h3>
        <p>
          Sends the recorded events to the mods again, in fresh sandboxes and without the model, and compares
          each reply with the recorded reply.
        </p>
        <div className="verify-actions">
          <Button weight="primary" disabled={isBusy} onClick={() => ask("mods")}>
            Check the mods
          </Button>
          {edited && (
            <Button disabled={isBusy} onClick={() => ask("editor")}>
              Check the mods as they are in the editor
            </Button>
          )}
        </div>
      </section>
      <section className="verify-way">
        <h3>The whole run</h3>
        <p>Runs the same request with the same seed on this machine, and compares token by token.</p>
        <div className="verify-actions">
          <Button disabled={isBusy} onClick={() => ask("again")}>
            Run again and compare
          </Button>
        </div>
      </section>
      <div className="verify-result" role="status">
        {running && <p>{running.way === "again" ? againSentence(running.tokens) : "Checking the mods …"}</p>}
        {verdict && <Result verdict={verdict} onShow={onClose} />}
      </div>
    </Dialog>
  );
}

function againSentence(tokens: number): string {
  return tokens === 0 ? "Running again …" : `Running again: ${countWithNoun(tokens, "token")} …`;
}

function Result({ verdict, onShow }: { verdict: VerificationVerdict; onShow: () => void }) {
  const { kind, sentence, details, index, hint } = verdict;
  return (
    <div className={`verify-verdict verify-${kind}`}>
      <p className="verify-sentence">{sentence}</p>
      {details.length > 0 && (
        <dl className="verify-details">
          {details.map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
      {hint !== "" && <p className="verify-hint">{hint}</p>}
      {index !== null && (
        <Button weight="quiet" onClick={onShow}>
          Show the step
        </Button>
      )}
    </div>
  );
}
