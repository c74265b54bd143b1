/** A link that holds the run itself: what goes into it, how long that makes it, and the file for when it is too long. */
import { useDeferredValue, useMemo, useState } from "react";
import type { StoreApi } from "zustand/vanilla";
import { encodeTraceFile } from "../../trace/codec.ts";
import type { Trace } from "../../trace/format.ts";
import { defaultParts, type LinkParts } from "../../trace/project.ts";
import { traceOf } from "../../trace/trace-view.ts";
import type { RunState } from "../store/run-store.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Segmented } from "../ui/segmented.tsx";
import { saveFile } from "./save-file.ts";
import { firstParts, fitsWhere, fullCosts, type Link, linkOf, partOptions } from "./share-parts.ts";
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
    };
  });
  const [parts, setParts] = useState<LinkParts>(() => {
    const first = attempt(() => firstParts(shared.trace, shared.notes, location.href));
    return first instanceof Error ? defaultParts : first;
  });
  const settled = useDeferredValue(parts);
  const costs = useMemo(() => attempt(() => fullCosts(shared.trace, shared.notes)), [shared]);
  const link = useMemo(
    () => attempt(() => linkOf(shared.trace, settled, shared.notes, location.href)),
    [shared, settled],
  );
  const save = () => saveFile(`${fileName(shared.trace)}.trace`, encodeTraceFile(shared.trace, shared.notes));
  const lost = (kind: (typeof partOptions)[number]["lost"]) => shared.notes.includes(kind);
  const cost = (section: (typeof partOptions)[number]["section"]) =>
    costs instanceof Error ? null : (costs.get(section) ?? 0);
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
          <Button icon="download" onClick={save}>
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
        is private. A file of everything has {formatBytes(encodedBytes(shared.trace, shared.notes))}.
      </p>
    </Dialog>
  );
}

function costText(characters: number | null): string {
  return characters === null || characters === 0 ? "–" : `${formatCount(characters)} characters`;
}

function LinkLength({ link }: { link: Link | Error }) {
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

function CopyLink({ link }: { link: Link | Error }) {
  const [said, setSaid] = useState<string | null>(null);
  const address = link instanceof Error ? null : link.address;
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

function attempt<Value>(make: () => Value): Value | Error {
  try {
    return make();
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause));
  }
}

function encodedBytes(trace: Trace, notes: Parameters<typeof encodeTraceFile>[1]): number {
  const bytes = attempt(() => encodeTraceFile(trace, notes));
  return bytes instanceof Error ? 0 : bytes.length;
}

function fileName({ records: [first] }: Trace): string {
  const model = first?.type === "request" ? (first.model.id.split("/").at(-1) ?? "run") : "run";
  return `midtoken-${model}`.replaceAll(/[^\w.-]+/g, "-");
}
