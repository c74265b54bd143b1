/**
 * Opens a run from a file that is dropped on the page or chosen: a `.trace` file, a page or a picture that holds one. It is shown
 * while it is read, nothing of it is run.
 */
import { useEffect, useState } from "react";
import { messageOf } from "../../base/message-of.ts";
import { checkRunFile, headOfFile, traceFileIn } from "../../trace/carriers/carrier.ts";
import { openingFile } from "../../trace/opening-model.ts";
import { visibleText } from "../../trace/visible-text.ts";
import { formatBytes } from "../../ui/format.ts";
import { wayBack } from "../store/open-run.ts";
import { readRun } from "../store/read-run.ts";
import { fromElsewhere } from "../store/shown-run.ts";
import type { Stores } from "../store/stores.ts";
import "./open-file.css";

interface DropTargetProps {
  readonly stores: Stores;
  /** A file begins to be read. */
  readonly onRead: () => void;
  /** A file that the user chose in a dialog of the browser. */
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
      <div className="drop-target">Drop a run’s file, page or picture to read it. Nothing of it is run.</div>
    )
  );
}

async function openFile(stores: Stores, file: File): Promise<void> {
  const { notices } = stores;
  const name = visibleText(file.name, 80);
  try {
    checkRunFile(new Uint8Array(await file.slice(0, headOfFile).arrayBuffer()), file.size);
    const bytes = traceFileIn(new Uint8Array(await file.arrayBuffer()));
    const back = await readRun(stores, openingFile(bytes), {
      what: `Reading and checking ${name} (${formatBytes(file.size)})`,
      about: fromElsewhere(),
      file: bytes,
      wayBack: () => wayBack(stores),
    });
    if (back) notices.getState().show("The file is open.", { label: "Back to the run before", run: back });
  } catch (cause) {
    notices.getState().show(`${name} was not opened. ${messageOf(cause)}`);
  }
}
