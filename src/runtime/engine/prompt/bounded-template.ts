/**
 * A chat template with limited work. Example: `{% for i in range(4000000000) %}` would make a list that ends the process in
 * Node and the tab in a browser, because JavaScript engines do not survive an allocation larger than their heap, not even in
 * a worker. The limits below refuse such lists and texts with an error, long before memory is full. Python's Jinja limits
 * `range` too, in its sandboxed environment (`MAX_RANGE`).
 */
import { Environment, Interpreter, Template } from "@huggingface/jinja";

/** Limits of one rendering, in addition to the size of the conversation. */
export const templateLimits = {
  /** Entries of one list. */
  listEntries: 100_000,
  /** Characters of one text. */
  textCharacters: 4_000_000,
  /** Entries of all lists together that the template makes. */
  allEntries: 2_000_000,
  /** Characters of all texts together that the template makes. */
  allCharacters: 64_000_000,
} as const;

/**
 * A template may copy each text and list of the conversation once per nested block or macro, so this many copies are
 * allowed.
 */
const copiesOfInput = 16;

type Evaluate = Interpreter["evaluate"];

/** Counts the lists and texts that a template makes. */
class Budget {
  private readonly seen = new WeakSet<object>();
  private characters = 0;
  private entries = 0;

  constructor(private readonly input: Size) {}

  /** @throws Error if the value, or all values so far, are larger than the limits. */
  count(value: ReturnType<Evaluate>): void {
    const content: unknown = value.value;
    if (typeof content !== "string" && !Array.isArray(content)) return;
    if (this.seen.has(value)) return;
    this.seen.add(value);
    if (typeof content === "string") this.countText(content.length);
    else this.countList(content.length);
  }

  private countText(length: number): void {
    const { textCharacters, allCharacters } = templateLimits;
    const given = this.input.characters * copiesOfInput;
    check("a string", length, textCharacters + given, "characters");
    this.characters += length;
    check("strings", this.characters, allCharacters + given, "characters in total");
  }

  private countList(length: number): void {
    const { listEntries, allEntries } = templateLimits;
    const given = this.input.entries * copiesOfInput;
    check("a list", length, listEntries + given, "entries");
    this.entries += length;
    check("lists", this.entries, allEntries + given, "entries in total");
  }
}

class BoundedInterpreter extends Interpreter {
  constructor(
    environment: Environment,
    private readonly budget: Budget,
  ) {
    super(environment);
  }

  override evaluate(...asked: Parameters<Evaluate>): ReturnType<Evaluate> {
    const value = super.evaluate(...asked);
    this.budget.count(value);
    return value;
  }
}

export class BoundedTemplate {
  private readonly parsed: Template["parsed"];

  /** @throws Error if the text is not Jinja. */
  constructor(text: string) {
    this.parsed = new Template(text).parsed;
  }

  /** @throws Error of the template itself, or one that names the limit of `templateLimits` that the template exceeds. */
  render(variables: Readonly<Record<string, unknown>>): string {
    const environment = new Environment();
    for (const [name, value] of Object.entries({ ...globals, ...variables })) environment.set(name, value);
    const result = new BoundedInterpreter(environment, new Budget(sizeOf(variables))).run(this.parsed);
    return String(result.value);
  }
}

/** The library has this function, but does not export it. */
const dateTemplate = new Template("{{ strftime_now(format) }}");

/** Names that every chat template may use, as in the library's `Template.render`. */
const globals: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
  range,
  raise_exception(message: string) {
    throw new Error(message);
  },
  strftime_now: (format: string) => dateTemplate.render({ format }),
};

/** Python's `range`. @throws Error if the list is longer than the limit. */
function range(first: number, end?: number, step = 1): number[] {
  const start = end === undefined ? 0 : first;
  const stop = end ?? first;
  if (step === 0) throw new Error("range() step must not be zero");
  const length = Math.max(0, Math.ceil((stop - start) / step));
  check("a range", length, templateLimits.listEntries, "entries");
  return Array.from({ length }, (_, index) => start + index * step);
}

function check(what: string, size: number, limit: number, unit: string): void {
  // Written so that NaN is refused too.
  if (size <= limit) return;
  throw new Error(`it creates ${what} of ${size} ${unit}; the limit is ${limit}`);
}

interface Size {
  readonly characters: number;
  readonly entries: number;
}

/** Size of the values that a template gets. */
function sizeOf(value: unknown): Size {
  if (typeof value === "string") return { characters: value.length, entries: 0 };
  if (typeof value !== "object" || value === null) return { characters: 0, entries: 0 };
  const parts = Array.isArray(value) ? value : Object.entries(value).flat();
  let characters = 0;
  let entries = parts.length;
  for (const part of parts) {
    const size = sizeOf(part);
    characters += size.characters;
    entries += size.entries;
  }
  return { characters, entries };
}
