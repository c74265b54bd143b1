/** The form for a link that contains the run: the choice of parts, the link's length, and the file to save if the link is too long. */
import { useCallback, useDeferredValue, useMemo, useState } from "react";
import { encodingTraceFile } from "../../../core/trace/codec/codec.ts";
import type { LinkSection } from "../../../core/trace/file/permalink.ts";
import { defaultParts, type LinkParts } from "../../../core/trace/file/project.ts";
import { Button } from "../../../view/ui/button.tsx";
import { formatBytes, formatCount } from "../../../view/ui/format.ts";
import { SegmentedControl } from "../../../view/ui/segmented.tsx";
import { FileLayers, useFileLayers } from "./file-layers.tsx";
import { saveFile } from "./save-file.ts";
import { CopyLink, LinkLength, ShareActions } from "./share-actions.tsx";
import {
  choosingInitialLinkParts,
  countingSectionCharacters,
  linkPartOptions,
  linkPartSizesOf,
  makingLink,
} from "./share-parts.ts";
import { fileNameOf, type RunToShare } from "./shared.ts";
import { useStepsResult } from "./use-made.ts";

export function ShareLink({ shared }: { shared: RunToShare }) {
  // The link is made in slices of the page's time: a long run takes seconds.
  const first = useStepsResult(
    useCallback(() => choosingInitialLinkParts(shared.trace, shared.notes, shared.page), [shared]),
  );
  const [chosen, setParts] = useState<LinkParts | null>(null);
  const parts = chosen ?? (first instanceof Error || first === null ? defaultParts : first);
  const settled = useDeferredValue(first === null && chosen === null ? null : parts);
  const link = useStepsResult(
    useMemo(
      () => settled && (() => makingLink(shared.trace, settled, shared.notes, shared.page)),
      [shared, settled],
    ),
  );
  const costs = useStepsResult(
    useCallback(() => countingSectionCharacters(shared.trace, shared.notes), [shared]),
  );
  const plain = useStepsResult(useCallback(() => encodingTraceFile(shared.trace, shared.notes), [shared]));
  const layers = useFileLayers(shared);
  const file = layers.isIn && layers.file !== null ? layers.file : plain;
  const save = () => {
    if (file instanceof Uint8Array) saveFile(`${fileNameOf(shared.trace)}.trace`, file);
  };
  const lost = (kind: (typeof linkPartOptions)[number]["lost"]) => shared.notes.includes(kind);
  const sizes = link === null || link instanceof Error ? null : linkPartSizesOf(link);
  // The size in the link; for a part that is left out, what the part would add.
  const sizeOf = (section: LinkSection, isIn: boolean): string => {
    if (isIn) return formatCost(sizes === null ? null : (sizes.parts.get(section) ?? 0));
    const added = formatCost(costs === null || costs instanceof Error ? null : (costs.get(section) ?? 0));
    return added === noSize ? noSize : `would add ${added}`;
  };
  return (
    <>
      <p className="share-lead">
        The link contains the recorded run. Anyone who opens it sees this run at once: no model is loaded and
        no code runs.
      </p>
      <LinkLength link={link} />
      <fieldset className="share-parts">
        <legend>Contents of the link</legend>
        <div className="share-part share-fixed">
          <span>
            Text, marks, mods and address <small>In every link</small>
          </span>
          <small className="share-cost">{formatCost(sizes?.rest ?? null)}</small>
        </div>
        {linkPartOptions.map(({ part, label, does, section, lost: kind }) => (
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
              {lost(kind) ? "not in this run" : sizeOf(section, parts[part])}
            </small>
          </label>
        ))}
        <div className="share-part share-alternatives">
          <span>
            Alternatives <small>Other tokens the model considered</small>
          </span>
          <SegmentedControl
            label="Alternatives"
            value={parts.alternatives}
            options={[
              { value: "none", label: "None" },
              { value: "gated", label: "Where a mod acted" },
              { value: "all", label: "All" },
            ]}
            onChange={(alternatives) => setParts({ ...parts, alternatives })}
          />
          <small className="share-cost">{sizeOf("alternatives", parts.alternatives !== "none")}</small>
        </div>
      </fieldset>
      <p className="share-note">
        The run is in the link itself, after the #. That part never reaches a server, but it stays in browser
        histories and chats: leave out private text. {fileSentence(file)}
      </p>
      <FileLayers {...layers} plain={plain} />
      <ShareActions>
        <Button icon="download" disabled={!(file instanceof Uint8Array)} onClick={save}>
          Save as a file
        </Button>
        <CopyLink link={link} />
      </ShareActions>
    </>
  );
}

const noSize = "–";

function formatCost(characters: number | null): string {
  return characters === null || characters === 0 ? noSize : `${formatCount(characters)} characters`;
}

function fileSentence(file: Uint8Array | Error | null): string {
  if (file === null) return "The file of the whole run is being created …";
  return file instanceof Error ? file.message : `The whole run as a file: ${formatBytes(file.length)}.`;
}
