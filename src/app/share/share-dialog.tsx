/** A link that holds the run itself: what goes into it, how long that makes it, and the file for when it is too long. */
import { useCallback, useDeferredValue, useMemo, useState } from "react";
import type { StoreApi } from "zustand/vanilla";
import { encodingTraceFile } from "../../trace/codec.ts";
import type { Trace } from "../../trace/format.ts";
import { defaultParts, type LinkParts } from "../../trace/project.ts";
import { traceOf } from "../../trace/trace-view.ts";
import type { RunState } from "../store/run-store.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Segmented } from "../ui/segmented.tsx";
import { saveFile } from "./save-file.ts";
import {
  choosingParts,
  countingCosts,
  fitsWhere,
  type Link,
  makingLink,
  partOptions,
} from "./share-parts.ts";
import { useMade } from "./use-made.ts";
import "./share-dialog.css";

interface ShareDialogProps {
  readonly run: StoreApi<RunState>;
  readonly onClose: () => void;
}

export function ShareDialog({ run, onClose }: ShareDialogProps) {
  // The run as it is when the dialog opens, so that a run that goes on does not change the link meanwhile.
  const [shared] = useState(() => {
    const { trace } = run.getState();
    const notes = [...trace.leftOut];
    return {
      trace: traceOf(trace),
      notes,
      done: trace.finished !== null,
      page: location.href,
    };
  });
  // Everything is made in slices of the page's time: a long run takes seconds.
  const first = useMade(useCallback(() => choosingParts(shared.trace, shared.notes, shared.page), [shared]));
  const [chosen, setParts] = useState<LinkParts | null>(null);
  const parts = chosen ?? (first instanceof Error || first === null ? defaultParts : first);
  const settled = useDeferredValue(first === null && chosen === null ? null : parts);
  const link = useMade(
    useMemo(
      () => settled && (() => makingLink(shared.trace, settled, shared.notes, shared.page)),
      [shared, settled],
    ),
  );
  const costs = useMade(useCallback(() => countingCosts(shared.trace, shared.notes), [shared]));
  const file = useMade(useCallback(() => encodingTraceFile(shared.trace, shared.notes), [shared]));
  const save = () => {
    if (file instanceof Uint8Array) saveFile(`${fileName(shared.trace)}.trace`, file);
  };
  const lost = (kind: (typeof partOptions)[number]["lost"]) => shared.notes.includes(kind);
  const cost = (section: (typeof partOptions)[number]["section"]) =>
    costs === null || costs instanceof Error ? null : (costs.get(section) ?? 0);
  if (!shared.done) {
    return (
      <Dialog title="Share this run" onClose={onClose}>
        <p>The run goes on. Stop it, or let it end, to share it.</p>
      </Dialog>
    );
  }
  return (
    <Dialog
      title="Share this run"
      onClose={onClose}
      footer={
        <>
          <Button icon="download" disabled={!(file instanceof Uint8Array)} onClick={save}>
            Save as a file
          </Button>
          <CopyLink link={link} />
        </>
      }
    >
      <p className="share-lead">
        The link holds the recorded run itself. Who opens it sees this timeline at once: no model is loaded
        and no code is run.
      </p>
      <LinkLength link={link} />
      <fieldset className="share-parts">
        <legend>What goes into it</legend>
        <div className="share-part share-fixed">
          <span>Text, marks and mods</span>
          <small>always</small>
        </div>
        {partOptions.map(({ part, label, does, section, lost: kind }) => (
          <label key={part} className="share-part" title={does}>
            <input
              type="checkbox"
              checked={parts[part] && !lost(kind)}
              disabled={lost(kind)}
              onChange={({ target }) => setParts({ ...parts, [part]: target.checked })}
            />
            <span>
              {label} <small>{does}</small>
            </span>
            <small className="share-cost">
              {lost(kind) ? "not in this record" : costText(cost(section))}
            </small>
          </label>
        ))}
        <div className="share-part share-alternatives">
          <span>
            Alternatives <small>What else could have come</small>
          </span>
          <Segmented
            label="Alternatives"
            value={parts.alternatives}
            options={[
              { value: "none", label: "None" },
              { value: "gated", label: "Where it matters" },
              { value: "all", label: "All" },
            ]}
            onChange={(alternatives) => setParts({ ...parts, alternatives })}
          />
        </div>
      </fieldset>
      <p className="share-note">
        The address’s part after # never reaches a server, but it stays in histories and chats: leave out what
        is private. {fileSentence(file)}
      </p>
    </Dialog>
  );
}

function costText(characters: number | null): string {
  return characters === null || characters === 0 ? "–" : `${formatCount(characters)} characters`;
}

function fileSentence(file: Uint8Array | Error | null): string {
  if (file === null) return "A file of everything is being made …";
  return file instanceof Error ? file.message : `A file of everything has ${formatBytes(file.length)}.`;
}

function LinkLength({ link }: { link: Link | Error | null }) {
  if (link === null) return <p className="share-length">Making the link …</p>;
  if (link instanceof Error) {
    return (
      <p className="share-length share-failed" role="alert">
        {link.message}
      </p>
    );
  }
  return (
    <p className="share-length" aria-live="polite">
      <strong>{formatCount(link.length)}</strong> characters. {fitsWhere(link.length)}
    </p>
  );
}

function CopyLink({ link }: { link: Link | Error | null }) {
  const [said, setSaid] = useState<string | null>(null);
  const address = link === null || link instanceof Error ? null : link.address;
  const copy = () => {
    if (address === null) return;
    navigator.clipboard.writeText(address).then(
      () => setSaid("Copied"),
      () => setSaid("Not allowed: save it as a file"),
    );
  };
  return (
    <Button
      weight="primary"
      icon={said === "Copied" ? "check" : "link"}
      className="share-copy"
      disabled={address === null}
      onClick={copy}
      onBlur={() => setSaid(null)}
      data-address={address ?? undefined}
    >
      <span aria-live="polite">{said ?? "Copy link"}</span>
    </Button>
  );
}

function fileName({ records: [first] }: Trace): string {
  const model = first?.type === "request" ? (first.model.id.split("/").at(-1) ?? "run") : "run";
  return `midtoken-${model}`.replaceAll(/[^\w.-]+/g, "-");
}
