/** The line above a mod that was made with rules: opens the rules, or says that the mod was edited by hand. */
import { useMemo } from "react";
import { Button } from "../../../view/ui/button.tsx";
import type { UserMod } from "../store/mods-store.ts";
import { useStores } from "../store/stores.ts";
import { readRules, removeRulesMark } from "./read-rules.ts";
import { rulesSource } from "./rules-source.ts";
import { replaceSource } from "./save-rules.ts";
import "./rules-note.css";

interface RulesNoteProps {
  readonly mod: UserMod;
  readonly onOpen: () => void;
}

export function RulesNote({ mod, onOpen }: RulesNoteProps) {
  const stores = useStores();
  const { id, name, source } = mod;
  const read = useMemo(() => readRules(source), [source]);
  if (read.type === "code") return null;
  if (read.type === "rules") {
    return (
      <p className="rules-note">
        This mod was made with rules.
        <Button onClick={onOpen}>Edit the rules</Button>
      </p>
    );
  }
  const { rules } = read;
  const keep = () => replaceSource(stores, id, removeRulesMark(source), `Converted ${name} to code.`);
  return (
    <p className="rules-note">
      This mod was made with rules and then edited by hand, so “Rules” can no longer change it.
      <Button onClick={keep}>Keep as code only</Button>
      {rules && (
        <Button
          onClick={() =>
            replaceSource(
              stores,
              id,
              rulesSource(rules),
              `The code of ${name} was regenerated from its rules.`,
            )
          }
        >
          Regenerate from the rules
        </Button>
      )}
    </p>
  );
}
