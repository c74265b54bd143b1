/** One rule: its condition, its effect, and its place among the rules. */
import { type ReactNode, useId } from "react";
import { IconButton } from "../../../view/ui/button.tsx";
import {
  type Condition,
  conditionFields,
  conditionNames,
  type Effect,
  effectFields,
  effectNames,
  type FieldValues,
  type Rule,
  type RuleField,
  type RuleProblem,
  ruleConditions,
  ruleEffects,
  ruleRefusal,
} from "./rule.ts";
import { RuleFieldInput } from "./rule-field.tsx";
import { withCondition, withEffect } from "./rules-form.ts";

interface RuleCardProps {
  readonly number: number;
  readonly count: number;
  readonly rule: Rule;
  readonly problems: readonly RuleProblem[];
  readonly onChange: (rule: Rule) => void;
  readonly onMove: (by: number) => void;
  readonly onDelete: () => void;
}

export function RuleCard({ number, count, rule, problems, onChange, onMove, onDelete }: RuleCardProps) {
  const refusal = ruleRefusal(rule);
  return (
    <li className="rule" aria-label={`Rule ${number}`}>
      <div className="rule-head">
        <h3>Rule {number}</h3>
        {count > 1 && (
          <>
            <IconButton
              icon="down"
              className="rule-up"
              label={`Move rule ${number} up`}
              disabled={number === 1}
              onClick={() => onMove(-1)}
            />
            <IconButton
              icon="down"
              label={`Move rule ${number} down`}
              disabled={number === count}
              onClick={() => onMove(1)}
            />
          </>
        )}
        <IconButton icon="trash" label={`Delete rule ${number}`} onClick={onDelete} />
      </div>
      <div className="rule-parts">
        <Part
          title="When"
          options={conditionNames.map((name) => [name, ruleConditions[name].label])}
          chosen={rule.when}
          onChoose={(name) => onChange(withCondition(rule, name as Condition))}
        >
          <Fields
            key={rule.when}
            fields={conditionFields(rule.when)}
            values={rule.whenValues}
            problems={problems}
            onChange={(whenValues) => onChange({ ...rule, whenValues })}
          />
        </Part>
        <Part
          title="Do"
          options={effectNames.map((name) => [name, ruleEffects[name].label])}
          chosen={rule.do}
          problem={refusal}
          onChoose={(name) => onChange(withEffect(rule, name as Effect))}
        >
          <Fields
            key={rule.do}
            fields={effectFields(rule.do)}
            values={rule.doValues}
            problems={problems}
            onChange={(doValues) => onChange({ ...rule, doValues })}
          />
        </Part>
      </div>
    </li>
  );
}

interface PartProps {
  readonly title: string;
  /** Name and label of each choice. */
  readonly options: readonly (readonly [string, string])[];
  readonly chosen: string;
  readonly problem?: string | null;
  readonly onChoose: (name: string) => void;
  readonly children: ReactNode;
}

function Part({ title, options, chosen, problem = null, onChoose, children }: PartProps) {
  const id = useId();
  const problemId = `${id}-problem`;
  return (
    <div className="rule-part">
      <label htmlFor={id}>{title}</label>
      <select
        id={id}
        className="field"
        value={chosen}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : problemId}
        onChange={({ target }) => onChoose(target.value)}
      >
        {options.map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      {problem !== null && (
        <p id={problemId} className="field-error" role="alert">
          {problem}
        </p>
      )}
      {children}
    </div>
  );
}

interface FieldsProps {
  readonly fields: readonly RuleField[];
  readonly values: FieldValues;
  readonly problems: readonly RuleProblem[];
  readonly onChange: (values: FieldValues) => void;
}

function Fields({ fields, values, problems, onChange }: FieldsProps) {
  return fields.map((field) => (
    <RuleFieldInput
      key={field.name}
      field={field}
      value={values[field.name]}
      problem={problems.find((problem) => problem.field === field.name)?.message ?? null}
      onChange={(value) => onChange({ ...values, [field.name]: value })}
    />
  ));
}
