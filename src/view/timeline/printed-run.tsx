/** The run on paper: model, mods and settings, the question, and the text with a note for each change. */
import { ownMods } from "../../core/trace/format/request-mods.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { modName } from "../../core/trace/model/trace-view.ts";
import { showInvisibleCharacters } from "../../core/trace/text/visible-text.ts";
import { changedModsLabels } from "./branch-labels.ts";
import { PromptLine } from "./prompt-line.tsx";
import { promptRewriters } from "./prompt-rewriters.ts";
import type { Authorship } from "./ribbon/ribbon-cells.ts";
import { describeOwnText } from "./summary-labels.ts";
import { Transcript, transcriptPageLimits } from "./transcript.tsx";

export interface PrintedRunProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly authorship: Authorship;
}

export function PrintedRun({ trace, version, authorship }: PrintedRunProps) {
  const { before, stressed, after } = describeOwnText(authorship, promptRewriters(trace));
  const { request } = trace;
  const branch = changedModsLabels(trace);
  const metadata = request && [
    showInvisibleCharacters(request.model.id),
    `seed ${request.seed}`,
    request.mods.length > 0 &&
      `mods ${ownMods(request)
        .map((_, mod) => modName(trace, mod))
        .join(", ")}`,
  ];
  return (
    <article className="printed-run">
      <h1>A run recorded by Midtoken</h1>
      {metadata && <p>{metadata.filter(Boolean).join(" · ")}</p>}
      <p>{before + stressed + after}</p>
      {branch && <p>{`${branch.sentence} ${branch.detail}`}</p>}
      <PromptLine trace={trace} />
      <Transcript selection={null} trace={trace} version={version} most={transcriptPageLimits.paper} />
    </article>
  );
}
