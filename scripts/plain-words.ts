/**
 * Counts private words in names, and comments that begin with a riddle, in `src`, by folder: `npx tsx scripts/plain-words.ts
 * --list`. The list of words is in this file; docs/contributing/style.md says which words to use. `scripts/plain-words.test.ts`
 * allows none.
 */
import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { programPaths } from "./testing/programs.ts";

/** A private word, and the words of the field for it. */
interface PrivateWord {
  /** Matches a part of a name: `kept` in `keptModels` and `kept-models.ts`. */
  readonly part?: RegExp;
  /** Matches a whole name, for words that are private only together: `takeOver`. */
  readonly name?: RegExp;
  readonly instead: string;
  /** Folders of `src` in which the word is private; all folders unless given. */
  readonly folders?: RegExp;
  /** Names in which the word has its ordinary meaning, and names of stored formats. */
  readonly usual?: readonly string[];
  /** The word is also refused in names that no file exports: variables, fields, parameters. */
  readonly everywhere?: true;
}

/**
 * The words of docs/contributing/style.md, in the order of the list from which they come. Four words have an ordinary meaning in
 * some folders, so their rules name the folders in which they are private:
 * - `run` and `request`: "run" on the page and in saved data, "request" in the protocol and the API.
 * - `answer`: the model's message in a conversation, as chats call it. A mod gives a reply, an HTTP call a response.
 * - `record`: an entry of a trace. A whole run is a trace; an `event` is what a mod gets.
 */
export const projectJargon: readonly PrivateWord[] = [
  { part: /^(told|retell|retelling)$/, instead: "catch-up, past events", everywhere: true },
  { part: /^(succession|former|heir|hider)$/, instead: "parent mod", everywhere: true },
  {
    part: /^(hold|holds|held|gate)$/,
    instead: "pause point",
    folders: /^(core\/decoder|runtime\/session)/,
    everywhere: true,
  },
  { part: /^foresee|^foresight/, instead: "speculation", everywhere: true },
  { name: /passAhead/i, instead: "speculation", everywhere: true },
  {
    part: /^(drafts?|drafted)$/,
    instead: "form, prompt lookup",
    // Speculative decoding has draft tokens.
    usual: ["DraftedToken", "longestDraft"],
  },
  { part: /^advances?$/, instead: "forward pass", folders: /^core\/decoder/, everywhere: true },
  { part: /^silences?$/, instead: "idle streak", everywhere: true },
  {
    part: /^rows?$/,
    instead: "logits",
    folders: /^(core\/decoder|runtime\/engine\/(kernels|webgpu))/,
    // Rows of a tensor.
    usual: ["checkRows", "createOneRow", "oneRowIn"],
  },
  { name: /^(Step|Host|Device)Row$/, instead: "CpuLogits, GpuLogits", everywhere: true },
  // A field of traces.
  { part: /^likeliest$/, instead: "top-k, most likely", everywhere: true, usual: ["likeliest"] },
  // Alternatives of a grammar and of a schema are those of the field.
  { part: /^alternatives?$/, instead: "top-k", folders: /^(?!core\/masks)/ },
  // A field of traces has the name `given`.
  { part: /^given$/, instead: "logits as the mod saw them", folders: /^core\/(decoder|trace)/ },
  { part: /^odds$/, instead: "probabilities", everywhere: true },
  { part: /^ghosts?$/, instead: "counterfactual token", everywhere: true },
  {
    part: /^reinjected$/,
    instead: "replacement",
    everywhere: true,
    // The source of a token, in traces and in the events of mods; the colours have its name.
    usual: ["reinjected", "reinjectedTint"],
  },
  { name: /putInPlace|put-in-place/i, instead: "replaced", everywhere: true },
  {
    part: /^inside$/,
    instead: "activations",
    folders: /^(core\/(sdk|decoder)|runtime\/sandbox)/,
    everywhere: true,
    // A place inside a text.
    usual: ["isInside"],
  },
  { name: /looksInside/, instead: "shows layers", everywhere: true },
  { part: /^(keeps?|kept|keeping)$/, instead: "save, cache, store", usual: ["keepSandboxesReady"] },
  {
    part: /^(keeps?|kept|keeping)$/,
    instead: "save, cache, store",
    folders: /^(page\/runs|runtime\/engine\/(storage|download))/,
    everywhere: true,
  },
  { part: /^live$/, instead: "output tokens", folders: /^core\/(trace|masks|sdk|tools)/, everywhere: true },
  { part: /^answers?$/, instead: "reply", folders: /^runtime\/sandbox/ },
  {
    part: /^answers?$/,
    instead: "response",
    folders: /^(runtime\/remote|package\/http|page\/app\/offline)/,
    // Cases of the suite about the model's message.
    usual: ["suite-answers", "answerCases"],
  },
  { part: /^requests?$/, instead: "run", folders: /^page\/(runs|app\/(history|compare|share))/ },
  {
    part: /^runs?$/,
    instead: "request",
    folders: /^package\/(api|http)/,
    // The verb.
    usual: ["can-run", "canRun", "CanRunOptions", "runSuite"],
  },
  // A whole run that someone records is a trace.
  {
    name: /^(whole|saved|stored|shared|opened|imported)Records?$|^Record(Store|File|Repository|Link)$/i,
    instead: "trace, run",
    everywhere: true,
  },
  { part: /^carriers?$/, instead: "export formats", everywhere: true },
  { part: /^visitors?$/, instead: "imported runs", everywhere: true },
  { name: /take-?over|takingOver/i, instead: "migration, copy", everywhere: true },
  { part: /^(spares?|rivals?)$/, instead: "warm sandbox, backup sandbox", everywhere: true },
  {
    part: /^(offers?|offered)$/,
    instead: "available weights",
    usual: [
      // WebRTC has offers, tools are offered to a model, and Undo is offered to a user.
      "Offer",
      "parseOffer",
      "offerTools",
      "offersTools",
      "OfferedConversation",
      "OfferedTools",
      "offer-tools",
      "offerUndo",
      "offer-undo",
    ],
  },
  { part: /^parts?$/, instead: "chunk", folders: /^runtime\/engine\/(download|storage)/ },
  { name: /-words$/, instead: "labels, messages" },
  // The element of HTML has the name `figure`.
  { part: /^figures?$/, instead: "metrics", everywhere: true, usual: ["figure"] },
  {
    part: /^facts?$/,
    instead: "metadata",
    everywhere: true,
    // A field of the stored `file.json`: with another name, models that people have downloaded would be lost.
    usual: ["facts"],
  },
  { part: /^relatives$/, instead: "branch tree", everywhere: true },
  {
    part: /^(family|families)$/,
    instead: "branch tree",
    folders: /^page\/(runs|app\/(history|store))/,
    everywhere: true,
  },
  { part: /^lines?$/, instead: "connection", folders: /^(page\/live|core\/base|runtime\/session)/ },
  { part: /^steps$/, instead: "resumable work", folders: /^core\/base/ },
  { part: /^(tangled|odd)$/, instead: "random, invalid" },
  { name: /machine-ways|by-hand|odd-sources/, instead: "leak attempts, manual run" },
  {
    part: /^(wants?|gives|takes)$/,
    instead: "a verb of the field: select, return, accept",
    everywhere: true,
    // A text of JSX with a semicolon reads like code.
    usual: ["takes"],
  },
  {
    name: /[a-z](InWords|Words?Sentence\w*)$|^(texts?|words)Of$/,
    instead: "a verb of the field: format, describe",
  },
];

/** Openings of sentences that hide their subject. */
const riddles = /^(Where there (is|are)|What|Of|Absent where|Those)\b/;

/** Parts of a name: `keptModels` has `kept` and `models`. */
function partsOfName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[ _.-]/)
    .map((part) => part.toLowerCase());
}

/** The name of a file and the names that it exports. */
export function namesIn(path: string, text: string): string[] {
  const exported = text.matchAll(
    /^export (?:declare )?(?:async )?(?:const|let|function\*?|class|type|interface) (\w+)/gm,
  );
  const file = basename(path).replace(/(\.(test|conformance|property|component))*\.tsx?$/, "");
  return [file, ...Array.from(exported, ([, name]) => name as string)];
}

/** All names in the code of a file, without its comments and texts; the code within `${…}` counts. */
function allNamesIn(text: string): ReadonlySet<string> {
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|\s)\/\/.*$/gm, "")
    .replace(/"(?:\\.|[^"\\\n])*"/g, '""')
    .replace(/`(?:\\.|[^`\\])*`/g, (template) => (template.match(/\$\{[^}]*\}/g) ?? []).join(" "))
    // Texts of JSX.
    .replace(/>[^<>{}=;()]*</g, "><");
  return new Set(code.match(/[A-Za-z_$][\w$]*/g));
}

/** The private words in names of one file, as `name: what to write instead`. */
export function jargonInNames(path: string, text: string): string[] {
  const folder = dirname(path).replace(/^src\//, "");
  const isTest = /\.test\.tsx?$/.test(path);
  const named = new Set(namesIn(path, text));
  const names = new Set([...named, ...(isTest ? [] : allNamesIn(text))]);
  return [...names].flatMap((name) => {
    const found = projectJargon.find(
      ({ part, name: whole, folders, usual, everywhere }) =>
        (everywhere || named.has(name)) &&
        (folders?.test(folder) ?? true) &&
        !usual?.includes(name) &&
        (whole?.test(name) || (part !== undefined && partsOfName(name).some((each) => part.test(each)))),
    );
    return found ? [`${name}: ${found.instead}`] : [];
  });
}

/** Sentences of comments that begin with a riddle. */
export function riddleSentencesIn(text: string): string[] {
  const comments = text.matchAll(/\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/.*\n?)+)/gm);
  return Array.from(comments, ([, block, lines]) => block ?? lines ?? "").flatMap((comment) =>
    comment
      .replace(/^[ \t]*(\*|\/\/)/gm, " ")
      .replace(/@(throws|returns|param \w+)\b/g, ". ")
      .replace(/\s+/g, " ")
      .split(/[.:;?!] /)
      .map((sentence) => sentence.trim())
      .filter((sentence) => riddles.test(sentence)),
  );
}

/** Sentences of comments below a folder that begin with a riddle, as `path sentence`. */
export function riddleSentencesBelow(root: string, folder: string): readonly string[] {
  return programPaths(root, folder)
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) =>
      riddleSentencesIn(readFileSync(join(root, path), "utf8")).map((each) => `${path} ${each}`),
    );
}

/** The two counts of one folder. */
export interface FolderCount {
  readonly names: readonly string[];
  readonly riddles: readonly string[];
}

/** The counts by folder of `src`, such as `core/decoder`. Files that tests read as data are left out. */
export function countJargon(root: string): ReadonlyMap<string, FolderCount> {
  const counts = new Map<string, { names: string[]; riddles: string[] }>();
  for (const path of programPaths(root, "src").filter((each) => /\.tsx?$/.test(each))) {
    const folder = path.split("/").slice(1, 3).join("/");
    const count = counts.get(folder) ?? { names: [], riddles: [] };
    const text = readFileSync(join(root, path), "utf8");
    count.names.push(...jargonInNames(path, text).map((each) => `${path} ${each}`));
    count.riddles.push(...riddleSentencesIn(text).map((each) => `${path} ${each}`));
    counts.set(folder, count);
  }
  return counts;
}

if (process.argv[1] === import.meta.filename) {
  const counts = countJargon(resolve(import.meta.dirname, ".."));
  const isListed = process.argv.includes("--list");
  for (const [folder, { names, riddles }] of counts) {
    if (names.length + riddles.length === 0) continue;
    console.log(`${folder}: ${names.length} names, ${riddles.length} riddles`);
    if (isListed) for (const each of [...names, ...riddles]) console.log(`  ${each}`);
  }
}
