/**
 * Emits objects. A state says what is left: `next`, the index of the next ordered member; `loose`, the members without
 * a fixed place; `min` and `max`, the least and the most names to come. Example: `id` and `name` are required, `tag` is not,
 * other names are forbidden. The key order is "required": `tag` may stand anywhere. Each value is 1:
 *
 *     text so far                next  loose  min   what may follow
 *     {                          0     tag    2     id, tag
 *     {"id":1                    1     tag    1     name, tag
 *     {"id":1,"tag":1            1     none   0     name: `min` counts no longer, but `name` is required
 *     {"id":1,"name":1           2     tag    0     tag, the end
 *     {"id":1,"tag":1,"name":1   2     none   0     the end
 *
 * With `maxProperties: 2` only `id` may follow `{`: after `tag` there would be no place for both required names. A state is a
 * rule named by what is left, so `{"tag":1,"id":1` and `{"id":1,"tag":1` share a rule. A state is made when a text reaches it.
 *
 * No name stands twice: a member that is written leaves the state, and an undeclared name joins `seen` (distinct.ts).
 */
import { Derivatives } from "../../automaton/derivative.ts";
import { createSequel, distinctText } from "../../automaton/distinct.ts";
import type { Expression } from "../../automaton/expression.ts";
import type { Sequel } from "../../automaton/expression-node.ts";
import { getOrCreate } from "../../automaton/get-or-create.ts";
import { compareBytes } from "../../automaton/prefix-tree.ts";
import { encodeUtf8 } from "../../automaton/utf8.ts";
import type { ObjectAlternative, SchemaHandle } from "../normal-form.ts";
import { jsonStringContent } from "../scalars/string-alphabet.ts";
import { afterItemExpression, type Content, containerExpression } from "./brackets.ts";
import { type Branch, branchesExpression } from "./branches.ts";
import type { Emission, KeyOrder } from "./emission.ts";
import { allowsSomeValue, type NameClass, undeclaredNamesOf } from "./emit-names.ts";
import { ObjectClauses, type OpenClauses } from "./object-clauses.ts";

interface Member {
  readonly name: string;
  /** The name and its closing quote, as JSON writes them. */
  readonly bytes: Uint8Array;
  readonly handle: SchemaHandle;
  readonly isRequired: boolean;
  /** Equal for equal members. */
  readonly signature: string;
}

interface State {
  /** Index of the next ordered member. */
  readonly next: number;
  /** Members without an order that are not written yet. */
  readonly loose: readonly Member[];
  /** How many of the loose members are required. */
  readonly looseRequired: number;
  /** The undeclared names that are written, as a union of their texts. */
  readonly seen: Expression;
  /** Undeclared names that may still be written; Infinity if they need not be counted. */
  readonly others: number;
  /** Names to come, at least and at most. */
  readonly min: number;
  readonly max: number;
  readonly open: OpenClauses;
}

/** A value of a member, and the state behind it. */
interface Way {
  readonly value: () => Expression;
  readonly state: State;
}

type Change = Partial<Omit<State, "min" | "max">>;

export function objectExpression(emission: Emission, alternative: ObjectAlternative): Expression {
  return new ObjectMachine(emission, alternative).whole();
}

/**
 * Whether an object of this alternative can have its required names, and from `minProperties` to `maxProperties` names that meet
 * its clauses.
 */
export function isObjectPossible(emission: Emission, alternative: ObjectAlternative): boolean {
  return new ObjectMachine(emission, alternative).isPossible;
}

/** Which members keep the order of the schema. */
const orderRules: Readonly<Record<KeyOrder, (member: Member) => boolean>> = {
  required: ({ isRequired }) => isRequired,
  schema: () => true,
  any: () => false,
};

class ObjectMachine {
  readonly #emission: Emission;
  readonly #ordered: readonly Member[];
  readonly #loose: readonly Member[];
  /** Loose members may also stand between ordered ones. */
  readonly #isLooseAnywhere: boolean;
  readonly #classes: readonly NameClass[];
  readonly #clauses: ObjectClauses;
  /** Whether the open clauses of a state can be met, by the state's key. */
  readonly #canMeetBy = new Map<string, boolean>();
  /** Required members from index i on. */
  readonly #requiredFrom: readonly number[];
  /** Short names for the ordered members from index i on, and the classes. */
  readonly #restFrom: readonly string[];
  readonly #sequels = new Map<string, Sequel>();
  readonly #start: State;
  readonly isPossible: boolean;

  constructor(emission: Emission, alternative: ObjectAlternative) {
    this.#emission = emission;
    const names = undeclaredNamesOf(emission, alternative);
    const declared = membersOf(emission, alternative);
    const listed = [...names.listed].map(([name, handle]) => memberOf(emission, name, handle, false));
    const isOrdered = orderRules[emission.options.order];
    this.#isLooseAnywhere = emission.options.order !== "schema";
    this.#classes = names.classes;
    this.#clauses = new ObjectClauses(emission, alternative);
    this.#ordered = declared.filter(isOrdered);
    // Sorted once: `branches` sorts the members that are left in each state, which is quick if they are sorted.
    this.#loose = [...declared.filter((member) => !isOrdered(member)), ...listed].sort((a, b) =>
      compareBytes(a.bytes, b.bytes),
    );
    this.#requiredFrom = suffixes(this.#ordered, 0, (sum, { isRequired }) => sum + Number(isRequired));
    this.#restFrom = suffixes(this.#ordered, emission.shortName(names.signature), (rest, { signature }) =>
      emission.shortName(`${signature}>${rest}`),
    );
    const written = new Set(declared.map(({ name }) => name));
    this.#start = this.#simplest({
      next: 0,
      loose: this.#loose,
      looseRequired: countRequired(this.#loose),
      seen: emission.expressions.nothing,
      others: names.count,
      min: alternative.minProperties,
      max: alternative.maxProperties,
      open: this.#clauses.without(this.#clauses.all, (name) => !written.has(name)),
    });
    this.isPossible =
      [...alternative.required].every((name) => written.has(name)) && this.#canFinish(this.#start);
  }

  whole(): Expression {
    if (!this.isPossible) return this.#emission.expressions.nothing;
    return containerExpression(this.#emission, this.#content(this.#start));
  }

  #content(state: State): Content {
    return { brackets: "{}", canClose: this.#canClose(state), more: this.#members(state) };
  }

  /** Equal states are written alike. */
  #simplest(state: State): State {
    const { next, loose } = state;
    const min = Math.max(0, state.min);
    const left = this.#ordered.length - next + loose.length;
    const isUnbounded = this.#classes.length === 0 && state.max >= left;
    const max = isUnbounded ? Number.POSITIVE_INFINITY : state.max;
    return { ...state, min, max };
  }

  /** Names a state. The names that were seen are apart, because each answer has others. */
  #key(state: State): string {
    return `${this.#form(state)}~${state.seen.id}`;
  }

  #form({ next, loose, others, min, max, open }: State): string {
    const names = loose.map(({ signature }) => signature).join();
    const clauses = open.length === 0 ? "" : `|${this.#clauses.name}:${open}`;
    return this.#emission.shortName(`o${this.#restFrom[next]}|${names}|${others}|${min}|${max}${clauses}`);
  }

  #required({ next, looseRequired }: State): number {
    return (this.#requiredFrom[next] as number) + looseRequired;
  }

  #canClose(state: State): boolean {
    if (state.min > 0 || this.#required(state) > 0) return false;
    return state.open.length === 0 || this.#clauses.areMetWithout(state.open, this.#left(state));
  }

  #canFinish(state: State): boolean {
    const { next, loose, others, min, max, open } = state;
    const names = this.#ordered.length - next + loose.length + others;
    if (this.#required(state) > max || min > Math.min(max, names)) return false;
    if (open.length === 0) return true;
    return getOrCreate(this.#canMeetBy, this.#form(state), () =>
      this.#clauses.canMeet(open, this.#left(state), min, max, others),
    );
  }

  /** The members that may still be written, by name. */
  #left({ next, loose }: State): ReadonlyMap<string, Member> {
    return new Map([...this.#ordered.slice(next), ...loose].map((member) => [member.name, member]));
  }

  /** The ways to write a member: `change` leads to the state behind it, apart from its clauses. */
  #ways(state: State, member: Member, change: Change): readonly Way[] {
    if (state.open.length === 0) {
      const after = this.#after(state, change);
      return this.#canFinish(after)
        ? [{ value: () => this.#emission.value(member.handle), state: after }]
        : [];
    }
    const next = change.next ?? state.next;
    // Members between the two places are left out for good, which meets clauses that ask for their absence.
    const skipped = new Set(this.#ordered.slice(state.next, next).map(({ name }) => name));
    skipped.delete(member.name);
    const open = this.#clauses.without(state.open, (name) => skipped.has(name));
    return this.#clauses.ways(member, open).flatMap((way) => {
      const after = this.#after(state, { ...change, open: way.open });
      return this.#canFinish(after) ? [{ value: way.value, state: after }] : [];
    });
  }

  /** One name and the rest of the object; `nothing` if no further name is allowed. */
  #members(state: State): Expression {
    const { expressions } = this.#emission;
    const key = this.#key(state);
    const ordered = this.#orderedChoices(state);
    const areRequiredWritten = (this.#requiredFrom[state.next] as number) === 0;
    const loose = areRequiredWritten || this.#isLooseAnywhere ? this.#looseChoices(state) : [];
    const others = areRequiredWritten ? this.#otherChoices(state) : [];
    if (ordered.length + loose.length + others.length === 0) return expressions.nothing;
    const branchOf = (path: Branch | Member) => ("next" in path ? path : this.#looseBranch(state, key, path));
    return this.#emission.rule(`o${key}`, () =>
      expressions.sequence(
        expressions.literal('"'),
        expressions.union(
          branchesExpression(this.#emission, `o${key}`, [...ordered, ...loose], branchOf),
          ...others,
        ),
      ),
    );
  }

  /** Optional members may be left out, up to the next one that is required. */
  #orderedChoices(state: State): Branch[] {
    const choices: Branch[] = [];
    for (let index = state.next; index < this.#ordered.length; index++) {
      const choice = this.#orderedChoice(state, index);
      if (choice !== null) choices.push(choice);
      if ((this.#ordered[index] as Member).isRequired) break;
    }
    return choices;
  }

  /** The next member, as all states have it that differ in nothing but the members left out. */
  #orderedChoice(state: State, index: number): Branch | null {
    const member = this.#ordered[index] as Member;
    const ways = this.#ways(state, member, { next: index + 1 });
    const [first] = ways;
    // Members with the same state behind them share their branch. A clause may have several states behind a member, so the
    // branch is then named by the state before the member.
    const key = first && state.open.length === 0 ? `>${this.#key(first.state)}` : `<${this.#key(state)}`;
    return first ? this.#branch(member, `m${member.signature}${key}`, () => ways) : null;
  }

  /** The loose members that may come next. */
  #looseChoices(state: State): readonly Member[] {
    if (state.open.length > 0)
      return state.loose.filter(
        (member) => this.#isSurelyPossible(state, member) || this.#looseWays(state, member).length > 0,
      );
    const next = this.#nextOfLoose(state);
    const loose = state.loose.slice(1);
    const canFinishAfter = (isRequired: boolean) => {
      const looseRequired = state.looseRequired - Number(isRequired);
      return this.#canFinish(this.#after(state, { next, loose, looseRequired }));
    };
    // All required members lead to states that can or cannot be finished alike, and so do all optional ones.
    const mayWriteRequired = canFinishAfter(true);
    const mayWriteOptional = canFinishAfter(false);
    if (mayWriteRequired && mayWriteOptional) return state.loose;
    return state.loose.filter(({ isRequired }) => (isRequired ? mayWriteRequired : mayWriteOptional));
  }

  /**
   * Whether some value of a loose member meets all open clauses that the member's absence meets, so that each way to finish the object
   * without the member is also possible with this value.
   */
  #isSurelyPossible({ open, max }: State, member: Member): boolean {
    if (!this.#isLooseAnywhere || max < Number.POSITIVE_INFINITY) return false;
    const openWithout = this.#clauses.without(open, (name) => name === member.name);
    return this.#clauses
      .ways(member, open)
      .some((way) => way.open.every((clause) => openWithout.includes(clause)));
  }

  /** A member without a fixed place, and the rest of the object. @param key key of the state */
  #looseBranch(state: State, key: string, member: Member): Branch {
    return this.#branch(member, `m${member.signature}<${key}`, () => this.#looseWays(state, member));
  }

  #looseWays(state: State, member: Member): readonly Way[] {
    return this.#ways(state, member, {
      next: this.#nextOfLoose(state),
      looseRequired: state.looseRequired - Number(member.isRequired),
      loose: state.loose.filter((other) => other !== member),
    });
  }

  #nextOfLoose(state: State): number {
    return this.#isLooseAnywhere ? state.next : this.#ordered.length;
  }

  /** Undeclared names that are not written yet, each with the rest of the object. */
  #otherChoices(state: State): Expression[] {
    const { expressions } = this.#emission;
    const { seen, others } = state;
    const skipped = new Set(this.#ordered.slice(state.next).map(({ name }) => name));
    const open = this.#clauses.without(state.open, (name) => skipped.has(name));
    const after = this.#after(state, { next: this.#ordered.length, others: others - 1, open });
    if (!this.#canFinish(after)) return [];
    const choices = this.#classes.map((each) =>
      distinctText(expressions, each.text, seen, this.#sequel(each, after)),
    );
    // A rule is believed not to be empty, so names that are all written are left out here.
    const derivatives = new Derivatives(expressions);
    return choices.filter((choice) => !derivatives.isEmpty(choice));
  }

  /** The texts that may follow an undeclared name. @param state behind the name */
  #sequel({ text, handle }: NameClass, state: State): Sequel {
    return getOrCreate(this.#sequels, `${text.id}|${this.#form(state)}`, () => {
      const { expressions, style } = this.#emission;
      return createSequel(expressions, (seen) =>
        expressions.sequence(style.colon, this.#emission.value(handle), this.#tail({ ...state, seen })),
      );
    });
  }

  #after(state: State, change: Change): State {
    const { next, loose, looseRequired, seen, others, min, max, open } = state;
    return this.#simplest({
      next: change.next ?? next,
      loose: change.loose ?? loose,
      looseRequired: change.looseRequired ?? looseRequired,
      seen,
      others: change.others ?? others,
      min: min - 1,
      max: max - 1,
      open: change.open ?? open,
    });
  }

  #branch(member: Member, key: string, ways: () => readonly Way[]): Branch {
    const { expressions, style } = this.#emission;
    return {
      key,
      bytes: member.bytes,
      next: () =>
        expressions.sequence(
          style.colon,
          expressions.unionOf(ways().map(({ value, state }) => expressions.pair(value(), this.#tail(state)))),
        ),
    };
  }

  /** The texts that may follow a member's value. */
  #tail(state: State): Expression {
    return this.#emission.rule(`p${this.#key(state)}`, () =>
      afterItemExpression(this.#emission, this.#content(state)),
    );
  }
}

function countRequired(members: readonly Member[]): number {
  return members.reduce((sum, { isRequired }) => sum + Number(isRequired), 0);
}

/** Members that may be written, whole numbers first as `JSON.stringify` has them (ECMA-262, OrdinaryOwnPropertyKeys). */
function membersOf(emission: Emission, { properties, required }: ObjectAlternative): readonly Member[] {
  const members = [...properties]
    .filter(([, handle]) => allowsSomeValue(handle))
    .map(([name, handle]) => memberOf(emission, name, handle, required.has(name)));
  const isIndex = ({ name }: Member) => /^(0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1;
  const indexes = members.filter(isIndex).sort((a, b) => Number(a.name) - Number(b.name));
  return [...indexes, ...members.filter((member) => !isIndex(member))];
}

function memberOf(emission: Emission, name: string, handle: SchemaHandle, isRequired: boolean): Member {
  const signature = emission.shortName(`m${JSON.stringify([name, handle.key, isRequired])}`);
  const bytes = encodeUtf8(`${jsonStringContent(name)}"`);
  return { name, bytes, handle, isRequired, signature };
}

/** For each index, what `add` makes of the members from there on; the last entry is `end`. */
function suffixes<Result>(
  members: readonly Member[],
  end: Result,
  add: (rest: Result, member: Member) => Result,
): readonly Result[] {
  const results = [end];
  for (let index = members.length - 1; index >= 0; index--) {
    results.push(add(results.at(-1) as Result, members[index] as Member));
  }
  return results.reverse();
}
