/** What stands in the text's place while the model's reasoning is folded away, and folds it again. */
import type { ReasoningTokens } from "../../trace/reasoning-tokens.ts";
import { formatCount } from "../../ui/format.ts";
import { downPath, IconShape } from "../../ui/icon-shape.tsx";

interface ReasoningLineProps {
  readonly reasoning: ReasoningTokens;
  readonly running: boolean;
  readonly isFolded: boolean;
  readonly onChange: (isFolded: boolean) => void;
}

export function ReasoningLine({ reasoning, running, isFolded, onChange }: ReasoningLineProps) {
  const { count, isOpen } = reasoning;
  const verb = !isOpen ? "Thought first" : running ? "Thinking" : "Thought, without an answer";
  return (
    <button
      type="button"
      className="reasoning-line"
      aria-expanded={!isFolded}
      onClick={() => onChange(!isFolded)}
    >
      <IconShape path={downPath} />
      {verb}
      <span className="reasoning-count">
        {formatCount(count)} {count === 1 ? "token" : "tokens"}
      </span>
    </button>
  );
}
