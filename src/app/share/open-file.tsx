/** Opens a `.trace` file that is dropped on the page: it is read, nothing of it is run. */
import { useEffect, useState } from "react";
import { messageOf } from "../../base/message-of.ts";
import { checkFileSize, decodingTraceFile } from "../../trace/codec.ts";
import { openingModel } from "../../trace/opening-model.ts";
import type { TraceModel } from "../../trace/trace-model.ts";
import { visibleText } from "../../trace/visible-text.ts";
import { runInSlices, type SliceOptions } from "../store/in-slices.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatBytes } from "../ui/format.ts";
import { ShareDone } from "../ui/share-done.tsx";
import "./open-file.css";

interface DropTargetProps {
  readonly onOpen: (trace: TraceModel) => void;
  readonly onError: (message: string) => void;
}

interface Reading {
  readonly file: File;
  /** How much of it is read and checked, 0 to 1. */
  readonly share: number;
  stop(): void;
}

/** A file that is read within so many milliseconds is opened without a word. */
const toldAfterMs = 200;

export function TraceDropTarget({ onOpen, onError }: DropTargetProps) {
  const [over, setOver] = useState(false);
  const [reading, setReading] = useState<Reading | null>(null);
  useEffect(() => {
    let stop = new AbortController();
    const read = async (file: File) => {
      stop.abort();
      stop = new AbortController();
      const { signal } = stop;
      const begun = performance.now();
      const onProgress = (share: number) => {
        const cancel = () => {
          stop.abort();
          setReading(null);
        };
        if (performance.now() - begun >= toldAfterMs) setReading({ file, share, stop: cancel });
      };
      try {
        const trace = await openTraceFile(file, { signal, onProgress });
        if (!signal.aborted) onOpen(trace);
      } catch (cause) {
        if (!signal.aborted) onError(`${visibleText(file.name, 80)} was not opened. ${messageOf(cause)}`);
      }
      if (!signal.aborted) setReading(null);
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
      void read(file);
    };
    addEventListener("dragover", onOver);
    addEventListener("dragleave", onLeave);
    addEventListener("drop", onDrop);
    return () => {
      stop.abort();
      removeEventListener("dragover", onOver);
      removeEventListener("dragleave", onLeave);
      removeEventListener("drop", onDrop);
    };
  }, [onOpen, onError]);
  return (
    <>
      {over && <div className="drop-target">Drop a .trace file to read it. Nothing of it is run.</div>}
      {reading && (
        <Dialog
          title="Opening a file"
          onClose={reading.stop}
          footer={<Button onClick={reading.stop}>Stop</Button>}
        >
          <ShareDone
            what={`Reading and checking ${visibleText(reading.file.name, 80)} (${formatBytes(reading.file.size)})`}
            share={reading.share}
          />
          <p>Nothing of it is run. What is on the page stays until all of it is read.</p>
        </Dialog>
      )}
    </>
  );
}

/** @throws TraceError for a file that is no sound trace. */
async function openTraceFile(file: Blob, slices: SliceOptions): Promise<TraceModel> {
  checkFileSize(file.size);
  return runInSlices(openingModel(decodingTraceFile(new Uint8Array(await file.arrayBuffer()))), slices);
}
