/** Finds commands by a text, best first. Pure. */
import { type Command, type CommandGroup, commandGroups } from "./command.ts";

export interface FoundGroup {
  readonly group: CommandGroup;
  readonly commands: readonly Command[];
  /** Number of found commands that are not listed. */
  readonly more: number;
}

/** Most listed commands of a group, without and with a search text. */
const mostListed = { all: 5, found: 8 } as const;

/** Groups with few commands, all of the page itself: without a search text, all of them are listed. */
const listedWhole: ReadonlySet<CommandGroup> = new Set(["Run", "View", "Page"]);

/**
 * How well a text fits a command; 0: not at all. Each word of the text must stand in the title or in the words beside it,
 * as typed or without the "s" of a plural. A beginning of the title counts most, then the beginning of a word of it, then
 * any place in it. A section of the guide comes after an action that fits equally well.
 */
export function commandMatchScore(command: Command, text: string): number {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const title = command.title.toLowerCase();
  const others = `${command.group} ${command.about ?? ""} ${command.words ?? ""}`.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const fit = fitOfWord(word, title, others) || fitOfWord(singular(word), title, others);
    if (fit === 0) return 0;
    sum += fit;
  }
  // If two titles fit equally well, the shorter one is more likely meant.
  const shortness = 1 / (1 + title.length);
  return sum / Math.max(1, words.length) + (command.group === "Guide" ? shortness / 1000 : shortness);
}

function fitOfWord(word: string, title: string, others: string): number {
  if (title.startsWith(word)) return 8;
  if (beginsWord(title, word)) return 6;
  if (title.includes(word)) return 3;
  if (beginsWord(others, word)) return 2;
  return others.includes(word) ? 1 : 0;
}

/** "colors" gives "color"; a short word stays as typed. */
const singular = (word: string) => (word.length > 3 ? word.replace(/s$/, "") : word);

function beginsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1] ?? "")) return true;
  }
  return false;
}

const mostWithoutSearch = (group: CommandGroup, count: number) =>
  listedWhole.has(group) ? count : mostListed.all;

/** The commands in groups. With a search text, the group with the best command comes first. */
export function findCommands(commands: readonly Command[], text: string): readonly FoundGroup[] {
  const isAll = text.trim() === "";
  const fits = new Map(commands.map((command) => [command, isAll ? 1 : commandMatchScore(command, text)]));
  const bestOf = (command: Command | undefined) => (command && fits.get(command)) ?? 0;
  const groups = commandGroups.flatMap((group): readonly FoundGroup[] => {
    const matching = commands.filter((command) => command.group === group && bestOf(command) > 0);
    if (matching.length === 0) return [];
    const sorted = isAll ? matching : matching.toSorted((a, b) => bestOf(b) - bestOf(a));
    const most = isAll ? mostWithoutSearch(group, matching.length) : mostListed.found;
    return [{ group, commands: sorted.slice(0, most), more: Math.max(0, matching.length - most) }];
  });
  return isAll ? groups : groups.toSorted((a, b) => bestOf(b.commands[0]) - bestOf(a.commands[0]));
}

/** How many commands are listed. */
export function countListedCommands(groups: readonly FoundGroup[]): number {
  return groups.reduce((sum, { commands }) => sum + commands.length, 0);
}
