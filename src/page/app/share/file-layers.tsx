/** The choice to put the saved layers of the run into its file. They never go into a link. */
import { useEffect, useMemo, useState } from "react";
import { encodingTraceFile } from "../../../core/trace/codec/codec.ts";
import type { TraceLayers } from "../../../core/trace/format/format-layers.ts";
import { countWithNoun, formatBytes } from "../../../view/ui/format.ts";
import type { RunToShare } from "./shared.ts";
import { useStepsResult } from "./use-made.ts";

interface LayersOfFile {
  /** The number of tokens with saved layers; 0 if the dialog does not offer the choice. */
  readonly tokens: number;
  /** The file with layers; null until it is made. */
  readonly file: Uint8Array<ArrayBuffer> | Error | null;
  readonly isIn: boolean;
  readonly onChange: (isIn: boolean) => void;
}

export function useFileLayers(shared: RunToShare): LayersOfFile {
  const { readLayers, trace, notes } = shared;
  const [layers, setLayers] = useState<TraceLayers | null>(null);
  const [isIn, setIn] = useState(false);
  useEffect(() => {
    let isWanted = true;
    // If the code cannot be fetched, the choice is not offered.
    readLayers?.().then(
      (found) => isWanted && setLayers(found),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [readLayers]);
  const make = useMemo(
    () => layers && (() => encodingTraceFile({ ...trace, layers }, notes)),
    [layers, trace, notes],
  );
  const file = useStepsResult(make);
  const tokens = new Set(layers?.steps.map(({ index }) => index)).size;
  return { tokens, file, isIn: isIn && layers !== null, onChange: setIn };
}

interface FileLayersProps extends LayersOfFile {
  /** The file without layers. */
  readonly plain: Uint8Array | Error | null;
}

export function FileLayers({ tokens, file, plain, isIn, onChange }: FileLayersProps) {
  if (tokens === 0) return null;
  if (file instanceof Error) return <p className="share-note">{file.message}</p>;
  const more =
    file && plain instanceof Uint8Array ? `, ${formatBytes(file.length - plain.length)} larger` : "";
  return (
    <label className="share-layers">
      <input
        type="checkbox"
        checked={isIn}
        disabled={file === null}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>
        Include the saved layers in the file{" "}
        <small>
          layers of {countWithNoun(tokens, "token")}
          {more}; links never contain layers
        </small>
      </span>
    </label>
  );
}
