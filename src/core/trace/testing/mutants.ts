/**
 * Valid links and files, each damaged by one of the mutations of the tables below. The same seed gives the same mutants. For
 * tests (2,000 mutants) and the bench (100,000).
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { deflateSync } from "fflate";
import { runToEnd } from "../../base/resumable-work.ts";
import { crc32, joined } from "../codec/bytes.ts";
import { encodeTraceFile } from "../codec/codec.ts";
import { htmlWithTrace } from "../file/export-formats/html.ts";
import { pngWithTrace } from "../file/export-formats/png.ts";
import { bytesOfFragment, fragmentOf } from "../file/fragment.ts";
import type { FragmentKind } from "../file/fragment-kind.ts";
import { encodePermalink } from "../file/permalink.ts";
import { encodingSetup } from "../file/setup-link.ts";
import { TRACE_VERSION } from "../format/format.ts";
import {
  type Columns,
  columnsOfFile,
  createDice,
  type Dice,
  fileOfColumns,
  fileWithDamagedColumns,
  spliced,
  structuralPlaces,
  truncated,
  withExtreme,
  withFlippedBits,
  withValidChecksum,
} from "./mutate-bytes.ts";
import { withSampleLayers } from "./sample-layers.ts";
import { sampleTrace, seededRandom } from "./sample-trace.ts";
import { steeredTrace } from "./steered-trace.ts";

/** A damaged input to open: the part of an address after its #, or the bytes of a file of any kind. */
export type Mutant = { readonly name: string } & (
  | { readonly fragment: string; readonly file?: undefined }
  | { readonly file: Uint8Array<ArrayBuffer>; readonly fragment?: undefined }
);

/** The valid inputs that mutations start from. */
interface Sound {
  /** `.trace` files, also with the traces of links and setups. */
  readonly files: readonly Uint8Array<ArrayBuffer>[];
  readonly columns: readonly Columns[];
  readonly links: readonly string[];
  readonly setups: readonly string[];
}

const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));

function soundOnes(): Sound {
  const sample = sampleTrace({ tokens: 45 });
  const published = readdirSync(fixtures).flatMap((version) =>
    readdirSync(`${fixtures}/${version}`)
      .filter((name) => name.endsWith(".trace"))
      .map((name) => Uint8Array.from(readFileSync(`${fixtures}/${version}/${name}`))),
  );
  const links = [
    encodePermalink(sample).fragment,
    encodePermalink(sample, { alternatives: "all", draws: true, timings: true }).fragment,
    encodePermalink(sample, { probabilities: false, tokenIds: false, logs: false, prompt: false }).fragment,
    encodePermalink(steeredTrace()).fragment,
  ];
  const [request] = sample.records;
  if (request?.type !== "request") throw new Error("The sample has no request.");
  const setups = [runToEnd(encodingSetup(request))];
  const files = [
    ...published,
    encodeTraceFile(sample),
    encodeTraceFile(withSampleLayers(steeredTrace())),
    ...links.map((link) => Uint8Array.from(bytesOfFragment(link, "t"))),
    ...setups.map((setup) => Uint8Array.from(bytesOfFragment(setup, "s"))),
  ];
  return { files, columns: files.map(columnsOfFile), links, setups };
}

/** Mutations of a trace file. The checksum is made valid again, unless the name says otherwise. */
const ofFiles: Readonly<Record<string, (sound: Sound, dice: Dice) => Uint8Array<ArrayBuffer>>> = {
  "bits flipped, checksum wrong": ({ files }, dice) =>
    withFlippedBits(dice.pick(files), 1 + dice.upTo(6), dice),
  "bits flipped": ({ files }, dice) =>
    withValidChecksum(withFlippedBits(dice.pick(files), 1 + dice.upTo(6), dice)),
  "cut off, checksum wrong": ({ files }, dice) => truncated(dice.pick(files), dice),
  "cut off": ({ files }, dice) => withValidChecksum(truncated(dice.pick(files), dice)),
  spliced: ({ files }, dice) => withValidChecksum(spliced(dice.pick(files), dice.pick(files), dice)),
  "version changed": ({ files }, dice) => {
    const file = Uint8Array.from(dice.pick(files));
    file[dice.pick([0, 1, 1, 1])] = dice.pick([0, 1, 2, 3, 4, 5, 15, 16, 255]);
    return withValidChecksum(file);
  },
  "heads changed": ({ files }, dice) => {
    const file = Uint8Array.from(dice.pick(files));
    for (let count = 1 + dice.upTo(3); count > 0; count -= 1)
      file[dice.pick(structuralPlaces(dice.pick(files)))] = dice.pick([0, 1, 2, 5, 64, 127, 128, 255]);
    return withValidChecksum(file);
  },
  "lengths and counts made extreme": ({ files }, dice) => {
    const file = dice.pick(files);
    return withValidChecksum(withExtreme(file, dice, dice.pick(structuralPlaces(file))));
  },
  "columns changed": ({ columns }, dice) => fileWithDamagedColumns(dice.pick(columns), dice),
  "columns of another recording": ({ columns }, dice) => {
    const [one, other] = [dice.pick(columns), dice.pick(columns)];
    const key = dice.pick([...one.keys()]);
    const changed = new Map(one);
    const bytes = other.get(key);
    if (bytes) changed.set(key, bytes);
    else changed.delete(key);
    return fileOfColumns(changed);
  },
  "random bytes under a good head": (_, dice) =>
    withValidChecksum(
      joined([
        Uint8Array.from([1, TRACE_VERSION]),
        dice.bytes(dice.upTo(400)),
        Uint8Array.from([0, 0, 0, 0, 0]),
      ]),
    ),
};

const fragmentKinds: readonly FragmentKind[] = ["t", "t", "t", "s"];

const ofLinks: Readonly<Record<string, (sound: Sound, dice: Dice) => string>> = {
  "characters changed": ({ links, setups }, dice) => {
    const link = [...dice.pick([...links, ...setups])];
    for (let count = 1 + dice.upTo(3); count > 0; count -= 1)
      link[dice.upTo(link.length)] = dice.pick([..."AZaz09-_.#%<é\0", "\ud800"]);
    return link.join("");
  },
  "cut off": ({ links, setups }, dice) => {
    const link = dice.pick([...links, ...setups]);
    return link.slice(0, dice.upTo(link.length)) + dice.pick(["", "z"]);
  },
  "beginning changed": ({ links, setups }, dice) => {
    const link = dice.pick([...links, ...setups]);
    const beginnings = ["", "#", "#t1.", "#s1.", "#t2.", "#t01.", "#T1.", "#t1", "%23t1.", "##t1.", "#x1."];
    return dice.pick(beginnings) + link.slice(4);
  },
  "spliced as text": ({ links, setups }, dice) => {
    const [one, other] = [dice.pick([...links, ...setups]), dice.pick([...links, ...setups])];
    return one.slice(0, dice.upTo(one.length)) + other.slice(dice.upTo(other.length));
  },
};

/** The smallest picture: one pixel. */
function smallestPng(): Uint8Array<ArrayBuffer> {
  const chunk = (name: string, data: Uint8Array) => {
    const bytes = new Uint8Array(12 + data.length);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, data.length);
    bytes.set(new TextEncoder().encode(name), 4);
    bytes.set(data, 8);
    view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
    return bytes;
  };
  return joined([
    Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", Uint8Array.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
    chunk("IDAT", deflateSync(Uint8Array.from([0, 0]))),
    chunk("IEND", new Uint8Array()),
  ]);
}

const png = smallestPng();
const viewer = { script: "show()", scriptHash: "sha256-x", style: "p{}", styleHash: "sha256-y" };
const inPicture = (file: Uint8Array) => pngWithTrace(png, file);
const inPage = (file: Uint8Array) => runToEnd(htmlWithTrace(file, viewer, "A run"));

/** Mutations of the picture or page around a valid run, or in its place. */
const ofExports: Readonly<Record<string, (exportFormat: Uint8Array, dice: Dice) => Uint8Array<ArrayBuffer>>> =
  {
    "bits flipped": (exportFormat, dice) => withFlippedBits(exportFormat, 1 + dice.upTo(4), dice),
    "bits of its head flipped": (exportFormat, dice) =>
      joined([
        withFlippedBits(exportFormat.subarray(0, 400), 1 + dice.upTo(3), dice),
        exportFormat.subarray(400),
      ]),
    "cut off": truncated,
    "a piece taken out or doubled": (exportFormat, dice) => {
      const [from, to] = [dice.upTo(exportFormat.length), dice.upTo(exportFormat.length)];
      return joined([exportFormat.subarray(0, from), exportFormat.subarray(to)]);
    },
  };

type Make = (sound: Sound, dice: Dice) => Omit<Mutant, "name">;

const mutations: readonly (readonly [name: string, make: Make])[] = [
  ...Object.entries(ofLinks).map(([name, make]): readonly [string, Make] => [
    `link: ${name}`,
    (sound, dice) => ({ fragment: make(sound, dice) }),
  ]),
  ...Object.entries(ofFiles).flatMap(([name, make]): (readonly [string, Make])[] => [
    [`file: ${name}`, (sound, dice) => ({ file: make(sound, dice) })],
    [
      `bytes of a link: ${name}`,
      (sound, dice) => ({ fragment: fragmentOf(dice.pick(fragmentKinds), make(sound, dice)) }),
    ],
    [
      `inside a picture or a page: ${name}`,
      (sound, dice) => ({ file: dice.pick([inPicture, inPage])(make(sound, dice)) }),
    ],
  ]),
  ...Object.entries(ofExports).flatMap(([name, make]): (readonly [string, Make])[] => [
    [`picture: ${name}`, ({ files }, dice) => ({ file: make(inPicture(dice.pick(files)), dice) })],
    [`page: ${name}`, ({ files }, dice) => ({ file: make(inPage(dice.pick(files)), dice) })],
  ]),
];

export const mutationNames: readonly string[] = mutations.map(([name]) => name);

/** `count` mutants; each mutation comes equally often. The same seed gives the same mutants. */
export function* mutants(seed: number, count: number): Generator<Mutant> {
  const sound = soundOnes();
  const dice = createDice(seededRandom(seed));
  for (let number = 0; number < count; number += 1) {
    const [name, make] = mutations[number % mutations.length] as (typeof mutations)[number];
    yield { name, ...make(sound, dice) } as Mutant;
  }
}
