/** Opens a `.trace` file that is dropped on the page: it is read, nothing of it is run. */
import { useEffect, useState } from "react";
import { messageOf } from "../../base/message-of.ts";
import { decodeTraceFile } from "../../trace/codec.ts";
import { createTraceModel, type TraceModel } from "../../trace/trace-model.ts";
import "./open-file.css";

interface DropTargetProps {
  readonly onOpen: (trace: TraceModel) => void;
  readonly onError: (message: string) => void;
}

export function TraceDropTarget({ onOpen, onError }: DropTargetProps) {
  const [over, setOver] = useState(false);
  useEffect(() => {
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
      openTraceFile(file).then(onOpen, (cause: unknown) =>
        onError(`${file.name} was not opened. ${messageOf(cause)}`),
      );
    };
    addEventListener("dragover", onOver);
    addEventListener("dragleave", onLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onOver);
      removeEventListener("dragleave", onLeave);
      removeEventListener("drop", onDrop);
    };
  }, [onOpen, onError]);
  return over && <div className="drop-target">Drop a .trace file to read it. Nothing of it is run.</div>;
}

/** @throws TraceError for bytes that are no sound trace. */
async function openTraceFile(file: Blob): Promise<TraceModel> {
  const { trace, notes } = decodeTraceFile(new Uint8Array(await file.arrayBuffer()));
  const model = createTraceModel(notes);
  model.append(trace.records);
  return model;
}
