/** The source of a mod at the time of a run, if the editor has another source or none. */
import { Button } from "../../../view/ui/button.tsx";
import { Dialog } from "../../../view/ui/dialog.tsx";
import { SourceText } from "./source-text.tsx";
import "./source-dialog.css";

export interface RanSource {
  readonly name: string;
  readonly source: string;
  readonly line: number | null;
  /** The fate of the mod since the run. */
  readonly since: "edited" | "deleted" | "elsewhere";
}

interface RanSourceDialogProps {
  readonly ran: RanSource;
  /** Leads to the present mod, or puts the record's mods into the editor; null if neither is possible. */
  readonly action: { readonly label: string; readonly run: () => void } | null;
  readonly onClose: () => void;
}

export function RanSourceDialog({
  ran: { name, source, line, since },
  action,
  onClose,
}: RanSourceDialogProps) {
  const sentences = {
    edited: `You have edited ${name} since this run. This is the version that ran.`,
    deleted: `${name} has been deleted since this run. This is the version that ran.`,
    elsewhere: "This run was recorded elsewhere. This is the mod that ran there.",
  };
  return (
    <Dialog
      title={line === null ? name : `${name}, line ${line}`}
      onClose={onClose}
      wide
      footer={
        action && (
          <Button
            onClick={() => {
              onClose();
              action.run();
            }}
          >
            {action.label}
          </Button>
        )
      }
    >
      <p className="source-lead">{sentences[since]}</p>
      <SourceText source={source} line={line} />
    </Dialog>
  );
}
