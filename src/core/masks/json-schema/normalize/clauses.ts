/** Turns many choices among single properties into clauses (../meet-clauses.ts). Multiplied out, the choices would make too many alternatives. */
import { getOrCreate } from "../../automaton/get-or-create.ts";
import { arrangeClauses, isSearchShort } from "../meet-clauses.ts";
import type { Clause, SchemaHandle } from "../normal-form.ts";
import type { Choice, Formula, ObjectAtom, PropertyRules } from "./atoms.ts";
import type { Handle, HandleTable } from "./handle.ts";
import { canDistinguishValues, waysOf } from "./property-ways.ts";

/**
 * At most this many choices are multiplied out, because their alternatives say more about the order of properties; fewer if their
 * alternatives would list more than `MANY_PROPERTIES` in all.
 */
const FEW_CHOICES = 5;
const MANY_PROPERTIES = 40_000;
/** Most clauses of one choice, and of all choices: for each name of a state the open clauses are searched. */
const MOST_CLAUSES = 64;
const MOST_IN_ALL = 256;

type Part = Clause[number];

/** Choices that are still to be made, and clauses in place of the others. */
interface OpenChoices {
  readonly choices: readonly Choice[];
  readonly clauses: readonly Clause[];
}

/**
 * Turns choices into clauses. Returns the same choices and clauses if the choices that have clauses are few, or if their clauses
 * are too many or take a long search. Clauses that ask for a required property, whatever its value, are left out.
 */
export function withClauses(
  open: OpenChoices,
  members: readonly PropertyRules[],
  required: ReadonlySet<string>,
  handles: HandleTable,
): OpenChoices {
  const asksForRequired = (clause: Clause) =>
    clause.some(({ name, value }) => value === handles.always && required.has(name));
  const found = open.choices
    .flatMap((choice) => getOrCreate(known, choice, () => clausesOfChoice(choice, handles)))
    .map(({ choice, clauses }) => ({
      choice,
      clauses: clauses.filter((clause) => !asksForRequired(clause)),
    }));
  const properties = members.flatMap((rules) => [...rules.properties]);
  const isFew = found.length <= FEW_CHOICES && 2 ** found.length * properties.length <= MANY_PROPERTIES;
  const all = [...open.clauses, ...found.flatMap(({ clauses }) => clauses)];
  if (found.length === 0 || isFew || all.length > MOST_IN_ALL) return open;
  handles.effort.spend(all.length);
  // If several schemas list the values of a property, the first of these schemas counts, so it is set last.
  const listed = new Map(properties.filter(([, handle]) => handle.listing !== null).reverse());
  const valuesOf = (name: string) => listed.get(name) ?? handles.always;
  const names = [...new Set(all.flatMap((clause) => clause.map(({ name }) => name)))];
  const decidable = new Set(names.filter((name) => canDistinguishValues(all, name, valuesOf(name), handles)));
  const replaced = found.filter(({ clauses }) => clauses.flat().every(({ name }) => decidable.has(name)));
  if (replaced.length === 0) return open;
  const clauses = arrangeClauses([...open.clauses, ...replaced.flatMap((each) => each.clauses)]);
  const property = (name: string) => ({
    isRequired: false,
    ways: () => waysOf(clauses, name, valuesOf(name), handles),
  });
  const left = new Map(names.map((name) => [name, property(name)]));
  const spend = (units: number) => handles.effort.spend(units);
  if (!isSearchShort({ clauses, left, spend })) return open;
  const choices = new Set(replaced.map(({ choice }) => choice));
  return { choices: open.choices.filter((choice) => !choices.has(choice)), clauses };
}

interface ClausesOfChoice {
  readonly choice: Choice;
  readonly clauses: readonly Clause[];
}

const known = new WeakMap<Choice, readonly ClausesOfChoice[]>();

/** Nothing for a choice that has no clauses. */
function clausesOfChoice(choice: Choice, handles: HandleTable): readonly ClausesOfChoice[] {
  if (choice.kind === "oneOf") return [];
  const { conjunction, parts } = choice;
  const clauses = conjunction ? allClauses(conjunction(), handles) : anyClauses(parts, handles);
  return clauses === null ? [] : [{ choice, clauses }];
}

/** Null if a formula concerns more than single properties, or makes too many clauses. */
function clausesOf(formula: Formula, handles: HandleTable): readonly Clause[] | null {
  switch (formula.kind) {
    case "true":
      return [];
    case "false":
      return [[]];
    case "atom":
      return clausesOfAtom(formula.atom as ObjectAtom, handles);
    case "and":
      return allClauses(formula.parts, handles);
    case "or":
      return anyClauses(formula.parts, handles);
    default:
      return null;
  }
}

function clausesOfAtom(asked: ObjectAtom, { always, never }: HandleTable): readonly Clause[] | null {
  switch (asked.is) {
    case "required":
      return asked.names.map((name) => [{ name, absent: false, value: always }]);
    case "forbidden":
      return [[{ name: asked.name, absent: true, value: null }]];
    case "members":
      if (!isOfProperties(asked, always)) return null;
      return [...asked.properties]
        .filter(([, value]) => value !== always)
        .map(([name, value]) => [{ name, absent: true, value: value === never ? null : value }]);
    default:
      return null;
  }
}

function isOfProperties({ patterns, additional }: PropertyRules, always: Handle): boolean {
  return patterns.length === 0 && additional === always;
}

function allClauses(formulas: readonly Formula[], handles: HandleTable): readonly Clause[] | null {
  const all: Clause[] = [];
  for (const formula of formulas) {
    const clauses = clausesOf(formula, handles);
    if (clauses === null) return null;
    all.push(...clauses);
  }
  return all.length > MOST_CLAUSES ? null : all;
}

/** Each clause of the result joins one clause of every formula. */
function anyClauses(formulas: readonly Formula[], handles: HandleTable): readonly Clause[] | null {
  let all: readonly Clause[] = [[]];
  for (const formula of formulas) {
    const clauses = clausesOf(formula, handles);
    if (clauses === null || all.length * clauses.length > MOST_CLAUSES) return null;
    const joined: Clause[] = [];
    for (const some of all) {
      for (const more of clauses) {
        const clause = joinedClause(some, more, handles);
        if (clause === null) return null;
        if (clause !== "always") joined.push(clause);
      }
    }
    all = joined;
  }
  return all;
}

/** "always": it holds for every object. Null: a property would have a choice of two schemas. */
function joinedClause(some: Clause, more: Clause, { always }: HandleTable): Clause | "always" | null {
  const parts = new Map<string, Part>(some.map((part) => [part.name, part]));
  for (const part of more) {
    const known = parts.get(part.name);
    const value = known === undefined ? part.value : eitherValue(known.value, part.value, always);
    if (value === undefined) return null;
    parts.set(part.name, { name: part.name, absent: part.absent || (known?.absent ?? false), value });
  }
  const all = [...parts.values()];
  return all.some(({ absent, value }) => absent && value === always) ? "always" : all;
}

function eitherValue(
  a: SchemaHandle | null,
  b: SchemaHandle | null,
  always: SchemaHandle,
): SchemaHandle | null | undefined {
  if (a === null || a === b) return b;
  if (b === null) return a;
  return a === always || b === always ? always : undefined;
}
