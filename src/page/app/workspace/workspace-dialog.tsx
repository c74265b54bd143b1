/** The dialog that saves all of the user's data as one file, and imports such a file. */
import { useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import { messageOf } from "../../../core/base/message-of.ts";
import { Button } from "../../../view/ui/button.tsx";
import { Dialog } from "../../../view/ui/dialog.tsx";
import { FileButton } from "../../../view/ui/file-button.tsx";
import { countWithNoun, formatBytes } from "../../../view/ui/format.ts";
import { ProgressLine } from "../../../view/ui/share-done.tsx";
import { saveFile } from "../share/save-file.ts";
import { useStores } from "../store/stores.ts";
import { loadWorkspaceParts } from "./load-parts.ts";
import { hasOwnSetup, importWorkspace, type WorkspaceImportResult } from "./open-workspace.ts";
import { createWorkspaceFile, type WorkspacePartsChoice } from "./save-workspace.ts";
import { SetAsideList } from "./set-aside-list.tsx";
import { type OpenedWorkspace, openWorkspace } from "./workspace-file.ts";
import type { WorkspacePart } from "./workspace-part.ts";
import "./workspace-dialog.css";

const allOf = (parts: readonly WorkspacePart[]): WorkspacePartsChoice => ({
  ...Object.fromEntries(parts.map(({ field }) => [field, true])),
  mods: true,
  setup: true,
  runs: true,
});

/** The number of entries of each kind. */
interface Counts {
  readonly mods: number;
  /** By the field of the part. */
  readonly parts: Readonly<Record<string, number>>;
  readonly setup: boolean;
  readonly runs: number;
  readonly runBytes: number | null;
}

interface Work {
  readonly what: string;
  readonly share: number;
}

interface OpenedFile {
  readonly name: string;
  readonly opened: OpenedWorkspace;
}

export function WorkspaceDialog({ onClose }: { onClose: () => void }) {
  const [parts, setParts] = useState<readonly WorkspacePart[] | null>(null);
  useEffect(() => {
    // An error of the update function is an error of this component, which its boundary shows.
    const fail = (cause: unknown) =>
      setParts(() => {
        throw cause;
      });
    loadWorkspaceParts().then(setParts, fail);
  }, []);
  return parts && <Workspace parts={parts} onClose={onClose} />;
}

interface WorkspaceProps {
  /** The parts that features add. */
  readonly parts: readonly WorkspacePart[];
  readonly onClose: () => void;
}

function Workspace({ parts, onClose }: WorkspaceProps) {
  const stores = useStores();
  const [file, setFile] = useState<OpenedFile | null>(null);
  const [chosen, setChosen] = useState(() => allOf(parts));
  const { work, problem, setProblem, doWork, stop } = useWork();
  const here = useCountsHere(parts);
  const counts: Counts = file ? countsOf(file.opened) : here;

  const save = () =>
    doWork("Saving the runs", async (options) => {
      const blob = await createWorkspaceFile(stores, chosen, options);
      saveFile(`midtoken-workspace-${new Date().toISOString().slice(0, 10)}.jsonl`, blob);
      onClose();
    });
  const choose = async (picked: File) => {
    setProblem(null);
    try {
      setFile({ name: picked.name, opened: await openWorkspace(picked) });
      // The user's own prompt and settings are replaced only if the user chooses that.
      setChosen({ ...allOf(parts), setup: !hasOwnSetup(stores) });
    } catch (cause) {
      setFile(null);
      setProblem(`${picked.name} was not opened. ${messageOf(cause)}`);
    }
  };
  const bring = (opened: OpenedWorkspace) =>
    doWork("Reading and checking the runs", async (options) => {
      const { undo, ...came } = await importWorkspace(stores, opened, chosen, options);
      stores.notices.getState().show(wordsOf(came, parts), { label: "Undo", run: undo });
      onClose();
    });
  return (
    <Dialog
      title={file ? `Contents of ${file.name}` : "Workspace"}
      onClose={onClose}
      footer={
        <WorkspaceButtons
          isBusy={work !== null}
          isOpen={file !== null}
          isEmpty={!hasChosen(chosen, counts, parts)}
          onStop={stop}
          onBack={() => setFile(null)}
          onChoose={(picked) => void choose(picked)}
          onDo={() => void (file ? bring(file.opened) : save())}
        />
      }
    >
      <WorkspaceChoices
        file={file}
        parts={parts}
        counts={counts}
        chosen={chosen}
        work={work}
        problem={problem}
        onChoose={setChosen}
      />
    </Dialog>
  );
}

interface WorkspaceChoicesProps {
  /** Null while the dialog shows the workspace of this browser. */
  readonly file: OpenedFile | null;
  readonly parts: readonly WorkspacePart[];
  readonly counts: Counts;
  readonly chosen: WorkspacePartsChoice;
  readonly work: Work | null;
  readonly problem: string | null;
  readonly onChoose: (chosen: WorkspacePartsChoice) => void;
}

function WorkspaceChoices({ file, parts, counts, chosen, work, problem, onChoose }: WorkspaceChoicesProps) {
  const kinds = ["mods", ...parts.map(({ noun }) => `${noun}s`)].join(", ");
  return (
    <>
      <p className="workspace-lead">
        {file
          ? `No code in the file is executed: mods are imported switched off, and runs are marked as recorded elsewhere. Your own ${kinds} and runs are not changed.`
          : `Save your ${kinds}, prompt, settings and saved runs in one file, which you can import here or in another browser.`}
      </p>
      <Choices
        parts={parts}
        counts={counts}
        chosen={chosen}
        setupLabel={file ? "Prompt and settings (replace yours)" : "Prompt and settings"}
        disabled={work !== null}
        onChoose={onChoose}
      />
      {file?.opened.contents.leftOut.map((sentence) => (
        <p key={sentence} className="field-error" role="alert">
          {sentence}
        </p>
      ))}
      {!file && <SetAsideList />}
      {work && <ProgressLine what={work.what} share={work.share} />}
      {problem !== null && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

interface WorkspaceButtonsProps {
  readonly isBusy: boolean;
  /** True if a file is open, whose content can be imported. */
  readonly isOpen: boolean;
  readonly isEmpty: boolean;
  readonly onStop: () => void;
  readonly onBack: () => void;
  readonly onChoose: (file: File) => void;
  readonly onDo: () => void;
}

function WorkspaceButtons({
  isBusy,
  isOpen,
  isEmpty,
  onStop,
  onBack,
  onChoose,
  onDo,
}: WorkspaceButtonsProps) {
  if (isBusy) return <Button onClick={onStop}>Stop</Button>;
  return (
    <>
      {isOpen ? (
        <Button onClick={onBack}>Back</Button>
      ) : (
        <FileButton label="Workspace file" accept=".jsonl" onChoose={onChoose}>
          Open a workspace …
        </FileButton>
      )}
      <Button weight="primary" disabled={isEmpty} onClick={onDo}>
        {isOpen ? "Import" : "Save as a file"}
      </Button>
    </>
  );
}

type WorkOptions = Parameters<typeof createWorkspaceFile>[2];

/** Work that shows its progress, can be stopped, and says why it failed. The work ends with the dialog. */
function useWork() {
  const [problem, setProblem] = useState<string | null>(null);
  const [work, setWork] = useState<Work | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const doWork = async (what: string, act: (options: WorkOptions) => Promise<void>) => {
    const controller = new AbortController();
    running.current = controller;
    setProblem(null);
    setWork({ what, share: 0 });
    const onProgress = (done: number, count: number) =>
      setWork({ what, share: count === 0 ? 1 : done / count });
    try {
      await act({ signal: controller.signal, onProgress });
    } catch (cause) {
      if (!controller.signal.aborted) setProblem(messageOf(cause));
    } finally {
      if (running.current === controller) running.current = null;
      setWork(null);
    }
  };
  return { work, problem, setProblem, doWork, stop: () => running.current?.abort() };
}

function hasChosen(chosen: WorkspacePartsChoice, counts: Counts, parts: readonly WorkspacePart[]): boolean {
  return (
    (chosen.mods && counts.mods > 0) ||
    parts.some(({ field }) => chosen[field] && countOf(counts, field) > 0) ||
    (chosen.setup && counts.setup) ||
    (chosen.runs && counts.runs > 0)
  );
}

const countOf = ({ parts }: Pick<Counts, "parts">, field: string): number => parts[field] ?? 0;

interface ChoicesProps {
  readonly parts: readonly WorkspacePart[];
  readonly counts: Counts;
  readonly chosen: WorkspacePartsChoice;
  readonly setupLabel: string;
  readonly disabled: boolean;
  readonly onChoose: (chosen: WorkspacePartsChoice) => void;
}

function Choices({ parts, counts, chosen, setupLabel, disabled, onChoose }: ChoicesProps) {
  const rows = [
    { part: "mods", label: countWithNoun(counts.mods, "mod"), isThere: counts.mods > 0 },
    ...parts.map(({ field, noun }) => ({
      part: field,
      label: countWithNoun(countOf(counts, field), noun),
      isThere: countOf(counts, field) > 0,
    })),
    { part: "setup", label: setupLabel, isThere: counts.setup },
    {
      part: "runs",
      label:
        countWithNoun(counts.runs, "run") +
        (counts.runBytes === null ? "" : `, ${formatBytes(counts.runBytes)}`),
      isThere: counts.runs > 0,
    },
  ];
  return (
    <fieldset className="workspace-parts" disabled={disabled}>
      <legend className="visually-hidden">Parts of the workspace</legend>
      {rows.map(({ part, label, isThere }) => (
        <label key={part}>
          <input
            type="checkbox"
            checked={chosen[part] === true && isThere}
            disabled={!isThere}
            onChange={() => onChoose({ ...chosen, [part]: !chosen[part] })}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

function useCountsHere(parts: readonly WorkspacePart[]): Counts {
  const stores = useStores();
  const { mods, runs } = stores;
  const { length } = useStore(mods, (state) => state.mods);
  const partCounts = usePartCounts(parts);
  const [listed, setListed] = useState({ count: 0, bytes: 0 });
  useEffect(() => {
    let isGone = false;
    runs.list().then(
      (all) =>
        !isGone && setListed({ count: all.length, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) }),
      // The page already reports that it cannot read the runs.
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [runs]);
  return { mods: length, parts: partCounts, setup: true, runs: listed.count, runBytes: listed.bytes };
}

function usePartCounts(parts: readonly WorkspacePart[]): Counts["parts"] {
  const stores = useStores();
  const read = () => Object.fromEntries(parts.map((part) => [part.field, part.entries(stores).length]));
  const [counts, setCounts] = useState(read);
  // biome-ignore lint/correctness/useExhaustiveDependencies: parts and stores stay the same while the dialog is open
  useEffect(() => {
    const stops = parts.map((part) => part.subscribe(stores, () => setCounts(read())));
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return counts;
}

function countsOf({ contents }: OpenedWorkspace): Counts {
  const { mods, parts, setup, runCount } = contents;
  return {
    mods: mods.length,
    parts: Object.fromEntries(Object.entries(parts).map(([field, entries]) => [field, entries.length])),
    setup: setup !== null,
    runs: runCount,
    runBytes: null,
  };
}

function wordsOf(came: Omit<WorkspaceImportResult, "undo">, parts: readonly WorkspacePart[]): string {
  const { mods, runs, known, refused, why, leftOut, ended } = came;
  const brought = [
    countWithNoun(mods, "mod"),
    ...parts.flatMap(({ field, noun }) => {
      const count = countOf(came, field);
      return count === 0 ? [] : [countWithNoun(count, noun)];
    }),
  ];
  const sentences = [
    `Imported ${brought.join(", ")} and ${countWithNoun(runs, "run")}.`,
    known > 0 &&
      `${countWithNoun(known, "item")} of the file ${known === 1 ? "was" : "were"} already in this browser.`,
    ended !== null && `The rest of the file could not be read: ${ended}`,
    refused > 0 && `${countWithNoun(refused, "run")} could not be imported: ${why}`,
    leftOut ?? false,
  ];
  return sentences.filter((sentence) => sentence !== false).join(" ");
}
