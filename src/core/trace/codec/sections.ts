/** The frame around the sections; `container.ts` describes it. */
export const layoutVersion = 1;
export const endOfSections = 0;
export const crcLength = 4;

/**
 * The sections of an encoded trace and their columns. A section's number never changes its meaning. New columns are added at the
 * end of a section, and old readers skip columns that they do not know.
 */
export const sections = {
  settings: { id: 1, columns: ["numbers", "floats", "lengths", "text"] },
  prompt: { id: 2, columns: ["numbers", "lengths", "text"] },
  mods: { id: 3, columns: ["numbers", "lengths", "text"] },
  text: { id: 4, columns: ["text"] },
  // The lengths of the tokens' texts. They are not in the section of the text, because another packing suits numbers better.
  pieces: { id: 12, columns: ["lengths", "numbers"] },
  events: {
    id: 5,
    columns: ["types", "steps", "passes", "calls", "numbers", "lengths", "text", "floats", "flags"],
  },
  probabilities: {
    id: 6,
    // The digit after a name is a class of entropy (`entropyClass`): the numbers of steps in one class are alike and pack
    // well together.
    columns: [
      "entropies",
      "after",
      ...(["before0", "before1", "before2", "before3", "before4"] as const),
      ...(["sampled0", "sampled1", "sampled2", "sampled3", "sampled4"] as const),
      ...(["candidates0", "candidates1", "candidates2", "candidates3", "candidates4"] as const),
    ],
  },
  alternatives: { id: 7, columns: ["counts", "tokens", "logprobs", "lengths", "text", "ranks"] },
  tokenIds: { id: 8, columns: ["ids"] },
  draws: { id: 9, columns: ["draws"] },
  timings: { id: 10, columns: ["times", "durations"] },
  logs: { id: 11, columns: ["numbers", "lengths", "text"] },
  // The logits that mods read, and digests of their edits. Only files have this section.
  given: { id: 13, columns: ["counts", "tokens", "logprobs", "digests"] },
  // The maker of the run, if the maker gave a name. Older readers skip the section.
  maker: { id: 14, columns: ["numbers", "lengths", "text"] },
  // Marks a prompt that was given without a chat template. Older readers skip the section.
  rawPrompt: { id: 15, columns: ["numbers"] },
  // Whether and how the model thought before it answered. Older readers skip the section.
  thinking: { id: 16, columns: ["numbers", "lengths", "text"] },
  // The marks around the answer after the reasoning. Older readers skip the section.
  answerMarks: { id: 17, columns: ["numbers", "lengths", "text"] },
  // The vectors by which mods steered and patched, and the sizes of the model's layers.
  vectors: { id: 18, columns: ["numbers", "floats", "values"] },
  // The recorded lens of layers. Only files have this section, and older readers skip it.
  layers: {
    id: 19,
    columns: ["numbers", "floats", "tokens", "ids", "lengths", "text", "halves", "values"],
  },
  // Present if names of special tokens in the messages were read as special tokens. Older copies of the reader skip the section.
  parseSpecial: { id: 20, columns: ["numbers"] },
  // The code of the error that ended the request. Older readers skip the section.
  errorCode: { id: 21, columns: ["numbers"] },
  // How far each mod declared to go back. Older copies of the reader skip the section.
  backtracks: { id: 22, columns: ["numbers"] },
  // The scores that mods asked for. Older readers skip the section.
  scores: { id: 23, columns: ["numbers", "logprobs"] },
  // Bounds for the tokens that a server did not list, and tokens that a server drew. Older readers skip the section.
  partial: { id: 25, columns: ["flags", "floats"] },
  // Texts whose end token healing could take back, and texts that it took back. Older readers skip the section.
  healing: { id: 24, columns: ["request", "open", "flags", "numbers", "lengths", "text"] },
  // Which tokens of the prompt are special. Older readers skip the section.
  special: { id: 26, columns: ["numbers"] },
} as const;

export type SectionName = keyof typeof sections;
export const sectionNames = Object.keys(sections) as readonly SectionName[];

/** A column, by section and name. */
export type ColumnKey = {
  [Section in SectionName]: `${Section}.${(typeof sections)[Section]["columns"][number]}`;
}[SectionName];

export function columnKeys(section: SectionName): readonly ColumnKey[] {
  return sections[section].columns.map((column) => `${section}.${column}` as ColumnKey);
}
