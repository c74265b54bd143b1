/** The list of rules while it is written: add, change, move, delete with undo, and where the focus goes after each. */
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Rule } from "./rule.ts";
import { addRuleIds, type RuleWithId } from "./rules-form.ts";

export interface RulesForm {
  readonly listed: readonly RuleWithId[];
  /** The rule that was deleted last, until another change. */
  readonly deleted: { readonly at: number; readonly rule: RuleWithId } | null;
  /** Lies within the element whose fields take the focus. */
  readonly list: RefObject<HTMLOListElement | null>;
  add(rule: Rule): void;
  change(at: number, rule: Rule): void;
  move(at: number, by: number): void;
  remove(at: number): void;
  undoRemove(): void;
  /** Gives the focus to the first element that the selector finds, once the change is drawn. */
  focus(selector: string): void;
}

export function useRulesForm(begin: readonly RuleWithId[]): RulesForm {
  const [listed, setListed] = useState(begin);
  const [deleted, setDeleted] = useState<RulesForm["deleted"]>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (focused === null) return;
    list.current?.closest("dialog")?.querySelector<HTMLElement>(focused)?.focus();
    setFocused(null);
  }, [focused]);
  return {
    listed,
    deleted,
    list,
    focus: setFocused,
    add(rule) {
      setListed([...listed, ...addRuleIds([rule])]);
      setDeleted(null);
      setFocused(".rule:last-child select");
    },
    change(at, rule) {
      setListed(listed.map((each, index) => (index === at ? { id: each.id, rule } : each)));
    },
    move(at, by) {
      const rule = listed[at];
      if (rule) setListed(listed.toSpliced(at, 1).toSpliced(at + by, 0, rule));
      setDeleted(null);
    },
    remove(at) {
      const rule = listed[at];
      if (!rule) return;
      setListed(listed.toSpliced(at, 1));
      setDeleted({ at, rule });
      setFocused(".rules-deleted .button");
    },
    undoRemove() {
      if (!deleted) return;
      setListed(listed.toSpliced(deleted.at, 0, deleted.rule));
      setDeleted(null);
      setFocused(`.rule:nth-child(${deleted.at + 1}) select`);
    },
  };
}
