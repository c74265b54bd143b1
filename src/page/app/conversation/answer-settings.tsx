/** The requested answer: a response format, and tools that the model may call. Folded to a summary until opened. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { messageOf } from "../../../core/base/message-of.ts";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import {
  type AnswerFormatSettings as Answer,
  type AnswerRequestFields,
  answerFieldsOfSettings,
  toolNames,
} from "../store/answer-settings.ts";
import { useStores } from "../store/stores.ts";
import type { AnswerFieldProblems } from "./answer-fields.tsx";
import { FoldedSettingsSection } from "./folded-settings.tsx";

/** The fields are folded at first, so they are fetched after the visible parts. */
const FormatAndTools = lazyPart({
  part: "The settings of the answer",
  load: () => import("./answer-fields.tsx"),
  component: "AnswerFields",
});

export function AnswerFormatPanel() {
  const { settings, model } = useStores();
  const answer = useStore(settings, (state) => state.answer);
  const canThink = useStore(
    model,
    ({ status }) => status.type === "ready" && status.loaded.thinking === "switchable",
  );
  const { changeAnswer } = settings.getState();
  const problems = useProblems(answer);
  const hasProblem = problems.schema !== null || problems.tools !== null;
  return (
    <FoldedSettingsSection
      className="answer"
      title="Answer"
      summary={hasProblem ? "needs a correction" : summaryOf(answer)}
    >
      <FormatAndTools answer={answer} problems={problems} canThink={canThink} changeAnswer={changeAnswer} />
    </FoldedSettingsSection>
  );
}

/** A schema is checked so many milliseconds after the last key. */
const CHECK_AFTER_MS = 250;

/**
 * The problems of the settings while the user types: JSON is checked at every key, a schema once CHECK_AFTER_MS have
 * passed without a key.
 */
function useProblems(answer: Answer): AnswerFieldProblems {
  const { engine } = useStores();
  const [checked, setChecked] = useState<AnswerFieldProblems>({ schema: null, tools: null });
  const read = answerFieldsOfSettings(answer);
  const text = JSON.stringify(read);
  useEffect(() => {
    let isOld = false;
    const current = JSON.parse(text) as typeof read;
    const check = async (fields: AnswerRequestFields) => {
      const { responseFormat = null, tools, toolChoice } = fields;
      const [schema, offered] = await Promise.all([
        responseFormat && engine.answerFormatProblem({ responseFormat }),
        (tools?.length ?? 0) > 0 || toolChoice !== "auto"
          ? engine.answerFormatProblem(tools ? { tools, ...(toolChoice && { toolChoice }) } : {})
          : null,
      ]);
      if (!isOld) setChecked({ schema, tools: offered });
    };
    const timer = setTimeout(() => {
      if (current.ok) {
        check(current.fields).catch((cause: unknown) => {
          if (!isOld) setChecked({ schema: messageOf(cause), tools: messageOf(cause) });
        });
      }
    }, CHECK_AFTER_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [text, engine]);
  if (read.ok) return checked;
  return { schema: null, tools: null, [read.field]: read.problem };
}

function summaryOf(answer: Answer): string {
  const thinking = { auto: "", on: "thinks first, ", off: "without thinking, " }[answer.thinking];
  return thinking + formatOf(answer);
}

function formatOf(answer: Answer): string {
  const format = { text: "free text", json: "a JSON object", schema: "JSON that follows the schema" }[
    answer.format
  ];
  if (!answer.offersTools) return format;
  const names = toolNames(answer);
  const count = names.length === 1 ? (names[0] ?? "") : `${names.length} tools`;
  const chosen = answer.toolChoice.startsWith(":") ? answer.toolChoice.slice(1) : null;
  const choice = {
    auto: `${format}, or a call to ${count}`,
    required: `a call to ${count}`,
    none: `${format}, without tool calls`,
  };
  return chosen === null
    ? (choice[answer.toolChoice as keyof typeof choice] ?? choice.auto)
    : `a call to ${chosen}`;
}
