/** Rules without code: a list of rules that is saved as a mod. */
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { Dialog } from "../../../view/ui/dialog.tsx";
import { countWithNoun } from "../../../view/ui/format.ts";
import type { PageActions } from "../page-actions.ts";
import { type Stores, useStores } from "../store/stores.ts";
import { maxRules, newRule, type Rule, type RuleProblem, ruleProblems } from "./rule.ts";
import { RuleCard } from "./rule-card.tsx";
import { addRuleIds, type RuleWithId, rulesOfMod, starterRules } from "./rules-form.ts";
import { saveRules } from "./save-rules.ts";
import { type RulesForm, useRulesForm } from "./use-rules-form.ts";
import "../../../view/ui/form.css";
import "./rules.css";

interface RulesDialogProps {
  /** Begins a new mod, also if the open mod is made with rules. */
  readonly isNew: boolean;
  readonly actions: Pick<PageActions, "run" | "open">;
  readonly onClose: () => void;
}

interface Beginning {
  /** Id of the mod that has the rules so far; null: a new mod. */
  readonly mod: string | null;
  readonly listed: readonly RuleWithId[];
  /** The rules as they were last saved; null if the user left the dialog with unsaved rules. */
  readonly saved: readonly RuleWithId[] | null;
}

/** Rules that were left without being saved, for the notice that offers them again. */
let left: Beginning | null = null;

export function RulesDialog({ isNew, actions, onClose }: RulesDialogProps) {
  const stores = useStores();
  const [begin] = useState(() => left ?? beginning(stores, isNew));
  const first = useRef<HTMLDivElement>(null);
  useEffect(() => {
    left = null;
    // The dialog itself gives the focus to its first button, which closes it.
    if (begin.listed.length === 0) first.current?.querySelector("button")?.focus();
  }, [begin]);
  const rules = useRulesForm(begin.listed);
  const { listed, focus } = rules;
  const [showsProblems, setShowsProblems] = useState(false);
  const name = useStore(stores.mods, ({ mods }) => mods.find(({ id }) => id === begin.mod)?.name);
  const problems = showsProblems ? ruleProblems(listed.map(({ rule }) => rule)) : [];
  const close = () => {
    if (listed !== begin.saved && listed.length > 0) offerAgain(stores, actions, { ...begin, listed });
    onClose();
  };
  const save = (runs: boolean) => {
    const all = listed.map(({ rule }) => rule);
    if (all.length === 0) return;
    if (ruleProblems(all).length > 0) {
      setShowsProblems(true);
      focus('[aria-invalid="true"]');
      return;
    }
    saveRules(stores, begin.mod, all);
    onClose();
    if (runs) actions.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    save(true);
  };
  return (
    <Dialog
      title={name === undefined ? "Rules" : `Rules in ${name}`}
      wide
      onClose={close}
      footer={<Footer problems={problems.length} isEmpty={listed.length === 0} onSave={save} />}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the key works from every field of the rules */}
      <div className="rules" onKeyDown={onKeyDown}>
        <p className="rules-about">
          Change what the model writes, without writing code. Once a rule’s condition is met, the rule applies
          until the run ends. Your rules become a mod that you can read, edit and share.
        </p>
        {listed.length === 0 && <Empty place={first} onAdd={rules.add} />}
        <RuleList rules={rules} problems={problems} />
      </div>
    </Dialog>
  );
}

/** The rules of the open mod; none if the mod has other code, or a new mod is wanted. */
function beginning({ mods: store }: Stores, isNew: boolean): Beginning {
  const { mods, active } = store.getState();
  const rules = isNew ? null : rulesOfMod(mods.find(({ id }) => id === active));
  const saved = addRuleIds(rules ?? []);
  return { mod: rules && active, listed: saved, saved };
}

function offerAgain({ notices }: Stores, actions: RulesDialogProps["actions"], unsaved: Beginning): void {
  left = { ...unsaved, saved: null };
  notices.getState().show("The rules were not saved.", {
    label: "Open the rules again",
    run: () => actions.open("rules"),
    lapse: () => {
      left = null;
    },
  });
}

interface FooterProps {
  readonly problems: number;
  readonly isEmpty: boolean;
  readonly onSave: (runs: boolean) => void;
}

function Footer({ problems, isEmpty, onSave }: FooterProps) {
  const why = isEmpty ? "Add a rule first" : undefined;
  return (
    <>
      <p className="rules-count" role="status">
        {problems > 0 ? `${countWithNoun(problems, "problem")} to fix` : ""}
      </p>
      <Button disabled={isEmpty} title={why} onClick={() => onSave(false)}>
        Save
      </Button>
      <Button
        weight="primary"
        icon="play"
        keys="Ctrl Enter"
        disabled={isEmpty}
        title={why}
        onClick={() => onSave(true)}
      >
        Save and run
      </Button>
    </>
  );
}

function RuleList({ rules, problems }: { rules: RulesForm; problems: readonly RuleProblem[] }) {
  const { listed, deleted, list, add, change, move, remove, undoRemove } = rules;
  return (
    <>
      <ol ref={list} className="rules-list">
        {listed.map(({ id, rule }, at) => (
          <RuleCard
            key={id}
            number={at + 1}
            count={listed.length}
            rule={rule}
            problems={problems.filter((problem) => problem.rule === at)}
            onChange={(changed) => change(at, changed)}
            onMove={(by) => move(at, by)}
            onDelete={() => remove(at)}
          />
        ))}
      </ol>
      {deleted && (
        <p className="rules-deleted" role="status">
          Rule {deleted.at + 1} was deleted.
          <Button weight="quiet" onClick={undoRemove}>
            Undo
          </Button>
        </p>
      )}
      <Button icon="plus" disabled={listed.length >= maxRules} onClick={() => add(newRule())}>
        Add a rule
      </Button>
    </>
  );
}

interface EmptyProps {
  readonly place: RefObject<HTMLDivElement | null>;
  readonly onAdd: (rule: Rule) => void;
}

function Empty({ place, onAdd }: EmptyProps) {
  return (
    <div ref={place} className="rules-none">
      <p>There are no rules yet. Start with an example, or add an empty rule.</p>
      <p className="rules-first">
        {starterRules.map(({ label, rule }) => (
          <Button key={label} onClick={() => onAdd(rule)}>
            {label}
          </Button>
        ))}
      </p>
    </div>
  );
}
