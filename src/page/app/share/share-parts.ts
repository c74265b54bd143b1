/** The possible parts of a link, and their size. Pure. */
import type { ResumableWork } from "../../../core/base/resumable-work.ts";
import { encodingPermalink, type LinkSection, type Permalink } from "../../../core/trace/file/permalink.ts";
import { defaultParts, type LinkParts } from "../../../core/trace/file/project.ts";
import type { Trace } from "../../../core/trace/format/format.ts";
import type { LeftOut } from "../../../core/trace/format/left-out.ts";
import { comparisonParameter } from "../store/compare-address.ts";

export type LinkPartName = Exclude<keyof LinkParts, "alternatives">;

export interface LinkPartOption {
  readonly part: LinkPartName;
  readonly label: string;
  readonly does: string;
  /** The section of the link whose size is shown as the cost of this part. */
  readonly section: LinkSection;
  /** The note of a trace that came from a link without this part: no link made of that trace can have the part. */
  readonly lost: LeftOut;
}

export const linkPartOptions: readonly LinkPartOption[] = [
  {
    part: "prompt",
    label: "Prompt",
    does: "The conversation and the prompt as the model saw it",
    section: "prompt",
    lost: "prompt",
  },
  { part: "logs", label: "Logs", does: "What the mods wrote to the console", section: "logs", lost: "logs" },
  {
    part: "probabilities",
    label: "Probabilities",
    does: "For each token, before and after the mods changed them",
    section: "probabilities",
    lost: "probabilities",
  },
  {
    part: "tokenIds",
    label: "Token ids",
    does: "To repeat the run exactly elsewhere",
    section: "tokenIds",
    lost: "tokenIds",
  },
  {
    part: "draws",
    label: "Random draws",
    does: "The random number behind each choice",
    section: "draws",
    lost: "draws",
  },
  {
    part: "timings",
    label: "Times",
    does: "When each event happened, and how long it took",
    section: "timings",
    lost: "timings",
  },
];

export interface SizedPermalink extends Permalink {
  /** Characters of the whole address. */
  readonly length: number;
  readonly address: string;
}

/** In steps. @throws TraceError when no such link can be made. */
export function* makingLink(
  trace: Trace,
  parts: LinkParts,
  notes: readonly LeftOut[],
  page: string,
): ResumableWork<SizedPermalink> {
  const permalink = yield* encodingPermalink(trace, parts, notes);
  const address = addressForOthers(page) + permalink.fragment;
  return { ...permalink, address, length: address.length };
}

/** The address without its fragment, and without the comparison, which names a run that only this browser has. */
function addressForOthers(page: string): string {
  const url = new URL(page.replace(/#.*$/, ""));
  url.searchParams.delete(comparisonParameter);
  return url.href;
}

/**
 * The parts that are chosen when the dialog opens: the default parts, and also some alternatives as long as the link then
 * has at most 3,000 characters. In steps.
 */
export function* choosingInitialLinkParts(
  trace: Trace,
  notes: readonly LeftOut[],
  page: string,
): ResumableWork<LinkParts> {
  const generous: LinkParts = { ...defaultParts, alternatives: "gated" };
  const { length } = yield* makingLink(trace, generous, notes, page);
  return length <= comfortableLength ? generous : defaultParts;
}

const comfortableLength = 3_000;

/** Characters of each section if the link has every part. In steps. */
export function* countingSectionCharacters(
  trace: Trace,
  notes: readonly LeftOut[],
): ResumableWork<ReadonlyMap<LinkSection, number>> {
  const everything: LinkParts = {
    probabilities: true,
    alternatives: "all",
    draws: true,
    tokenIds: true,
    timings: true,
    logs: true,
    prompt: true,
  };
  const { sections } = yield* encodingPermalink(trace, everything, notes);
  return new Map(sections.map(({ name, characters }) => [name, characters]));
}

/** Characters of the parts of a link. */
export interface LinkPartSizes {
  /** Each part in the link, by its section. */
  readonly parts: ReadonlyMap<LinkSection, number>;
  /** Everything else: the address of the page, the text, its marks and the code of the mods. */
  readonly rest: number;
}

/**
 * The sizes of the parts in a link, and of the rest: their sum is the length of the link. A part that is left out can leave a few
 * numbers in its section, which count as the rest.
 */
export function linkPartSizesOf({ sections, length, notes }: SizedPermalink): LinkPartSizes {
  const isIn = ({ lost }: LinkPartOption) => !notes.includes(lost);
  const names = new Set<LinkSection>(linkPartOptions.filter(isIn).map(({ section }) => section));
  if (!notes.includes("alternatives")) names.add("alternatives");
  const parts = new Map(
    sections.filter(({ name }) => names.has(name)).map(({ name, characters }) => [name, characters]),
  );
  return { parts, rest: [...parts.values()].reduce((rest, size) => rest - size, length) };
}

/** The places where a link of this length can be pasted whole. */
export function linkFitSentence(length: number): string {
  if (length <= 2_000) return "Fits in a chat message, even on Discord.";
  if (length <= 4_000)
    return "Fits in a message of most chats. Too long for Discord (2,000 characters): leave out parts, or share a file.";
  if (length <= 60_000)
    return "Fits in an issue or an e-mail. Too long for most chats: leave out parts, or share a file.";
  return "Too long to paste in most places: share the file instead.";
}
