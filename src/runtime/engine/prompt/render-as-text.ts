/**
 * Renders a prompt so that names of special tokens stay text if they come from messages, but not if the template writes
 * them.
 */
import type { Message } from "../../../core/sdk/request.ts";
import type { RestoreText } from "../../../core/tokenizer/restore-text.ts";
import {
  PrivateCharacters,
  placesOfNames,
  replaceAt,
  type SpecialNameSearch,
  SpecialNames,
} from "./special-names.ts";

/** Changes a text of the request. `role`: the message's role, or null for a text of a tool definition or a tool call. */
export type ChangeText = (text: string, role: Message["role"] | null) => string;

/** Renders the whole prompt with each text of the request changed. @throws PromptError when the template refuses it */
export type Render = (change: ChangeText) => string;

export interface RenderedPrompt {
  /** The prompt for people to read. */
  readonly text: string;
  /** The prompt for the tokenizer: private characters are in the names that must stay text. */
  readonly guarded: string;
  /** Turns `guarded` into `text`; absent if the two are equal. */
  readonly restore?: RestoreText;
}

export interface SpecialNamesAsText {
  rendered(render: Render): RenderedPrompt;
}

interface About {
  readonly specialNames: readonly string[];
  /** Names of reasoning tokens: an assistant's text may contain them, as complete marks. */
  readonly markNames: readonly string[];
  /** The marks themselves, such as `<think>`. */
  readonly marks: readonly string[];
  /** See `ModelTokenizer.normalized`. */
  readonly normalized: ((text: string) => string) | null;
}

export function createSpecialNamesAsText({
  specialNames,
  markNames,
  marks,
  normalized,
}: About): SpecialNamesAsText {
  const names = new SpecialNames([...specialNames, ...markNames], normalized);
  const keptMarks = marks.filter((mark) => markNames.some((name) => mark.includes(name)));
  const places = (text: string, role: Message["role"] | null, search: SpecialNameSearch) =>
    placesOfNames(text, names, search, role === "assistant" ? keptMarks : []);

  return {
    rendered(render) {
      const texts: string[] = [];
      let hasCharacters = false;
      let hasNames = false;
      const text = render((each, role) => {
        texts.push(each);
        hasCharacters ||= places(each, role, "characters").length > 0;
        hasNames ||= hasCharacters && places(each, role, "names").length > 0;
        return each;
      });
      if (!hasCharacters) return { text, guarded: text };
      const attempt = (search: SpecialNameSearch): Required<RenderedPrompt> => {
        const characters = new PrivateCharacters([text, ...texts]);
        const guarded = render((each, role) => replaceAt(each, places(each, role, search), characters));
        return { text: characters.restore(guarded), guarded, restore: characters.restore };
      };
      for (const search of ["characters", "beginnings"] as const) {
        const cautious = attempt(search);
        if (cautious.text === text) return cautious;
      }
      // The template searches the messages for these characters, so only complete names are replaced.
      return hasNames ? attempt("names") : { text, guarded: text };
    },
  };
}
