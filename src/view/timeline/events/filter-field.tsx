/** The field of the filter: coloured words, underlined errors, and a list of suggestions. */
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { type FilterCompletion, filterCompletionAt } from "./completion.ts";
import type { FilterHighlight, FilterProblem } from "./filter-language.ts";
import "../../ui/form.css";
import "./filter-field.css";

interface FilterFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly parts: readonly FilterHighlight[];
  /** The first error in the filter. */
  readonly problem: FilterProblem | null;
  readonly mods: readonly string[];
  readonly ref: Ref<HTMLInputElement>;
  /** Called when Enter is pressed and there is no suggestion. */
  readonly onLeave: () => void;
}

export function FilterField({ value, onChange, parts, problem, mods, ref, onLeave }: FilterFieldProps) {
  const id = useId();
  const completing = useCompletion({ value, mods, onChange, onLeave });
  const { input, completion, chosen } = completing;
  const isOpen = completion !== null;
  // A word that is still being typed is not marked as wrong.
  const wrong =
    problem && completion && problem.from < completion.to && completion.from < problem.to ? null : problem;
  return (
    <div className="filter">
      <div className="filter-paint" aria-hidden="true">
        <div style={{ transform: `translateX(${-completing.scrolled}px)` }}>
          {painted(value, parts, wrong)}
        </div>
      </div>
      <input
        ref={(element) => {
          input.current = element;
          if (typeof ref === "function") ref(element);
          else if (ref) ref.current = element;
        }}
        type="text"
        className="field filter-input"
        role="combobox"
        aria-label="Filter events"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-options` : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isOpen ? `${id}-${chosen}` : undefined}
        aria-invalid={wrong !== null}
        aria-describedby={wrong ? `${id}-problem` : undefined}
        placeholder="Filter: kind:forced p<0.1 mod:name /regex/"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        value={value}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value);
          completing.complete(
            currentTarget.value,
            currentTarget.selectionStart ?? currentTarget.value.length,
          );
        }}
        onScroll={({ currentTarget }) => completing.setScrolled(currentTarget.scrollLeft)}
        onKeyDown={completing.onKeyDown}
        onBlur={completing.close}
      />
      {completion && <Suggestions id={id} completion={completion} chosen={chosen} onTake={completing.take} />}
      {wrong && (
        <p className="field-error filter-problem" id={`${id}-problem`} role="status">
          Character {wrong.from + 1}: {wrong.message}
        </p>
      )}
    </div>
  );
}

interface CompletionProps {
  readonly value: string;
  readonly mods: readonly string[];
  readonly onChange: (value: string) => void;
  readonly onLeave: () => void;
}

/** The caret, the suggestions for the word at the caret, and the keys that choose between them. */
function useCompletion({ value, mods, onChange, onLeave }: CompletionProps) {
  const input = useRef<HTMLInputElement>(null);
  const [completion, setCompletion] = useState<FilterCompletion | null>(null);
  const [chosen, setChosen] = useState(0);
  const [scrolled, setScrolled] = useState(0);
  /** New place of the caret, set once the completed text is in the field. */
  const caret = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caret moves after the text has changed
  useLayoutEffect(() => {
    const element = input.current;
    if (!element) return;
    if (caret.current !== null) element.setSelectionRange(caret.current, caret.current);
    caret.current = null;
    setScrolled(element.scrollLeft);
  }, [value]);
  const complete = (text: string, at: number) => {
    setCompletion(filterCompletionAt(text, at, mods));
    setChosen(0);
  };
  const take = (place: number) => {
    const option = completion?.options[place];
    if (!completion || !option) return;
    const rest = value.slice(completion.to).replace(/^ /, option.insert.endsWith(" ") ? "" : " ");
    const text = value.slice(0, completion.from) + option.insert + rest;
    caret.current = completion.from + option.insert.length;
    onChange(text);
    complete(text, caret.current);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const at = event.currentTarget.selectionStart ?? value.length;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      if (!completion) return complete(value, at);
      const { length } = completion.options;
      setChosen((chosen + by + length) % length);
    } else if (completion && (event.key === "Enter" || (event.key === "Tab" && !event.shiftKey))) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === "Enter") {
      event.preventDefault();
      onLeave();
    } else if (event.key === "Escape" && (completion || value !== "")) {
      event.preventDefault();
      event.stopPropagation();
      if (completion) setCompletion(null);
      else onChange("");
    }
  };
  const close = () => setCompletion(null);
  return { input, completion, chosen, scrolled, setScrolled, complete, take, close, onKeyDown };
}

interface SuggestionsProps {
  readonly id: string;
  readonly completion: FilterCompletion;
  readonly chosen: number;
  readonly onTake: (place: number) => void;
}

function Suggestions({ id, completion, chosen, onTake }: SuggestionsProps) {
  return (
    <div className="filter-options" role="listbox" id={`${id}-options`} aria-label="Suggestions">
      {completion.options.map(({ insert, label, hint }, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys choose
        // biome-ignore lint/a11y/useFocusableInteractive: the field names the chosen one
        <div
          key={insert}
          id={`${id}-${place}`}
          role="option"
          aria-selected={place === chosen}
          // Otherwise the field would lose the focus before the click.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(place)}
        >
          <code translate="no">{label}</code> <span>{hint}</span>
        </div>
      ))}
    </div>
  );
}

/** A copy of the field's text behind the field: its parts are coloured, and errors are underlined with a wave. */
function painted(
  value: string,
  parts: readonly FilterHighlight[],
  problem: FilterProblem | null,
): readonly ReactNode[] {
  const edges = new Set([0, value.length]);
  for (const { from, to } of problem ? [...parts, problem] : parts)
    edges.add(from).add(Math.min(to, value.length));
  const places = [...edges].sort((a, b) => a - b);
  return places.slice(0, -1).map((from, place) => {
    const to = places[place + 1] ?? from;
    const look = parts.find((part) => part.from <= from && to <= part.to)?.look ?? "plain";
    const isWrong = problem !== null && problem.from <= from && to <= problem.to;
    return (
      <span key={from} className={`filter-${look}${isWrong ? " filter-wrong" : ""}`}>
        {value.slice(from, to)}
      </span>
    );
  });
}
