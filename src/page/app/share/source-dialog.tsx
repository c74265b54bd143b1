/** The mods of a shared run as text, for reading before any of them runs here. */
import { isRequestFormatMod } from "../../../core/sdk/built-in.ts";
import { ownMods } from "../../../core/trace/format/request-mods.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { modName } from "../../../core/trace/model/trace-view.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { Button } from "../../../view/ui/button.tsx";
import { Dialog } from "../../../view/ui/dialog.tsx";
import { SourceText } from "./source-text.tsx";
import "./source-dialog.css";

interface SourceDialogProps {
  readonly trace: TraceModel;
  readonly onClose: () => void;
  /** Runs the mods. Given when the user asked to run them: the dialog then asks for confirmation. */
  readonly onRun: (() => void) | null;
  /** A sentence that says what is run; by default, the whole request. */
  readonly meaning?: string;
}

export function SourceDialog({ trace, onClose, onRun, meaning }: SourceDialogProps) {
  const { request } = trace;
  // Mods that took part only before the branch are not run again.
  const shown = onRun && request ? ownMods(request) : request?.mods;
  const mods = shown ?? [];
  const isOne = mods.filter((mod) => !isRequestFormatMod(mod)).length === 1;
  const title = onRun ? "Run this here?" : "The mods of this run";
  return (
    <Dialog
      title={title}
      onClose={onClose}
      wide
      footer={
        onRun && (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button weight="primary" icon="play" onClick={onRun}>
              Run here
            </Button>
          </>
        )
      }
    >
      {onRun && (
        <p className="source-lead">
          {isOne
            ? "Someone else wrote this mod. The mod runs"
            : "Someone else wrote these mods. The mods run"}{" "}
          in a sandbox without network access or access to this page
          {meaning ??
            `, on ${showInvisibleCharacters(trace.request?.model.id ?? "")}, which is downloaded first if necessary. Your own mods stay in the list, switched off.`}
        </p>
      )}
      {mods.length === 0 && <p>This run used no mods.</p>}
      {mods.map(({ source }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the mods of a record never change places
        <section key={place}>
          <h3 className="source-name" translate="no">
            {modName(trace, place)}
          </h3>
          <SourceText source={source} line={null} />
        </section>
      ))}
    </Dialog>
  );
}
