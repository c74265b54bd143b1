/**
 * Opens a run from a file that is dropped on the page or chosen: a `.trace` file, or a page or a picture that contains a run.
 * The run is shown while it is read; no code of the file runs.
 */
import { useEffect, useState } from "react";
import { importProgramPart } from "../../../core/base/import-part.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import type { Stores } from "../store/stores.ts";
import "./open-file.css";

interface DropTargetProps {
  readonly stores: Stores;
  /** Called when reading a file begins. */
  readonly onRead: () => void;
  /** Called with a file that the user chose in a dialog of the browser. */
  readonly chosen: File | null;
}

export function TraceDropTarget({ stores, onRead, chosen }: DropTargetProps) {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const read = (file: File) => {
      onRead();
      void openFile(stores, file);
    };
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const onOver = (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (!hasFile(event) || !file) return;
      event.preventDefault();
      read(file);
    };
    addEventListener("dragover", onOver);
    addEventListener("dragleave", onLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onOver);
      removeEventListener("dragleave", onLeave);
      removeEventListener("drop", onDrop);
    };
  }, [stores, onRead]);
  useEffect(() => {
    if (!chosen) return;
    onRead();
    void openFile(stores, chosen);
  }, [stores, onRead, chosen]);
  return (
    over && (
      <div className="drop-target">
        Drop a file, web page or picture that contains a run, or a mod’s source file. No code in the file
        runs.
      </div>
    )
  );
}

async function openFile(stores: Stores, file: File): Promise<void> {
  try {
    const load = () => import("./open-run-file.ts");
    await (await importProgramPart("The code that opens files", load, "openChosenFile")).openChosenFile(
      stores,
      file,
    );
  } catch (cause) {
    stores.notices.getState().fail(messageOf(cause));
  }
}
