/** Strategies other than `jsonSchema`, for the conformance suite. */
import { chars } from "../chars.ts";
import { choices } from "../choices.ts";
import { grammar } from "../grammar.ts";
import { list } from "../list.ts";
import { oneOf } from "../one-of.ts";
import { regex } from "../regex.ts";
import { seq } from "../seq.ts";
import type { StrategyCase } from "../strategy.conformance.ts";
import { until } from "../until.ts";

/** The text matches as a whole. */
function whole(pattern: RegExp): (text: string) => boolean {
  const anchored = new RegExp(`^(?:${pattern.source})$`, `${pattern.flags.replace("u", "")}u`);
  return (text) => anchored.test(text);
}

/** `start`, and then the first `end` at the end. */
function upTo(start: string, end: string): (text: string) => boolean {
  return (text) =>
    text.startsWith(start) &&
    text.length >= start.length + end.length &&
    text.indexOf(end, start.length) === text.length - end.length;
}

/** Elements of one kind, then the stop, which does not come before: where each element begins is looked at. */
function stopping(element: RegExp, min: number, max: number, stop: string): (text: string) => boolean {
  return (text) => {
    if (!text.endsWith(stop)) return false;
    const body = text.slice(0, text.length - stop.length);
    const elements = body.match(new RegExp(element.source, "guy")) ?? [];
    if (elements.join("") !== body || elements.length < min || elements.length > max) return false;
    let at = 0;
    for (const each of elements) {
      if (text.startsWith(stop, at)) return false;
      at += each.length;
    }
    return true;
  };
}

/** RFC 8259 section 7, without halves of surrogate pairs. */
export const stringCharacter = new RegExp(
  String.raw`[^"\\\u0000-\u001f\ud800-\udfff]|\\(?:["\\/bfnrt]|u(?:[0-9A-Ca-cE-Fe-f][\dA-Fa-f]{3}|[Dd][0-7][\dA-Fa-f]{2}` +
    String.raw`|[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}))`,
);
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/;

/** Brackets in order, around sums of numbers. */
function isSum(text: string): boolean {
  let left = text;
  for (let before = ""; before !== left; ) {
    before = left;
    left = left.replace(/\((?:\d+|n)(?:[-+*](?:\d+|n))*\)/, "n");
  }
  return /^(?:\d+|n)(?:[-+*](?:\d+|n))*$/.test(left) && !/n/.test(text);
}

function isPalindrome(text: string): boolean {
  return /^[ab中]*$/.test(text) && [...text].reverse().join("") === text;
}

export const textStrategyCases: readonly StrategyCase[] = [
  {
    name: "choices: one begins another",
    strategy: choices(["hi", "hit", "hi there", "no", "naïve", "🙂", "🙂🙃"]),
    oracle: (text) => ["hi", "hit", "hi there", "no", "naïve", "🙂", "🙂🙃"].includes(text),
    allowed: ["hi", "hit", "hi there", "no", "naïve", "🙂", "🙂🙃"],
    rejected: ["", "h", "hi t", "nope", "naive", "🙃"],
  },
  {
    name: "choices: one text",
    strategy: choices(["The quick brown fox, 🙂 and\nso on."]),
    oracle: (text) => text === "The quick brown fox, 🙂 and\nso on.",
    allowed: ["The quick brown fox, 🙂 and\nso on."],
    rejected: ["The quick", "The quick brown fox, 🙂 and\nso on. "],
  },
  {
    name: "until: a text",
    strategy: until({ start: "<a>", end: "</a>" }),
    oracle: upTo("<a>", "</a>"),
    allowed: ["<a></a>", "<a>so</b> </ a></a>", "<a><a>\n🙂 中</a>", "<a></</a>"],
    rejected: ["", "<a>", "</a>", "<a></a", "<a></a>x", "<a></a></a>", "<b></a>"],
  },
  ...["aab", "]]", "abab", "\n\n"].map(
    (end): StrategyCase => ({
      name: `until: an end that overlaps itself, ${JSON.stringify(end)}`,
      strategy: until({ end }),
      oracle: upTo("", end),
      allowed: ["", "a", "aa", "ab", "aba", "]", "\n", "ba é", "a]\n"]
        .map((before) => before + end)
        .filter(upTo("", end)),
      rejected: ["", end.slice(1), end + end, `${end}a`],
    }),
  ),
  {
    name: "until: an end inside the start",
    strategy: until({ start: "<a>", end: "a>" }),
    oracle: upTo("<a>", "a>"),
    allowed: ["<a>a>", "<a>xa>", "<a><a>"],
    rejected: ["<a>", "<a>>", "<a>a>a>"],
  },
  {
    name: "until: any of some characters",
    strategy: until({ end: { anyOf: "\n.é🙂" } }),
    oracle: (text) => /^[^\n.é🙂\ud800-\udfff]*[\n.é🙂]$/u.test(text),
    allowed: ["hello.", ".", "so it is\n", "caf é", "x🙂", "🙃 and ê."],
    rejected: ["", "hello", "a..", "a\n.", "🙂🙂"],
  },
  {
    name: "until: a limit of tokens",
    strategy: until({ start: "Q:", end: "\n\n", maxTokens: 4 }),
    oracle: upTo("Q:", "\n\n"),
    allowed: ["Q:\n\n", "Q: a\n\n"],
    rejected: ["Q:", "Q: a\n", "Q:\n\n\n\n"],
    countsTokens: true,
  },
  {
    name: "chars: letters",
    strategy: chars("letters", { min: 1, max: 6 }),
    oracle: whole(/\p{L}{1,6}/u),
    allowed: ["a", "Zebra", "naïveé", "中文", "жук"],
    rejected: ["", "sevenly", "a1", " a", "a ", "🙂"],
  },
  {
    name: "chars: exactly four digits",
    strategy: chars("digits", { min: 4, max: 4 }),
    oracle: whole(/[0-9]{4}/),
    allowed: ["2024", "0000"],
    rejected: ["", "202", "20245", "٢٠٢٤", "2 24"],
  },
  {
    name: "chars: alphanumerics and a stop of several tokens",
    strategy: chars("alphanumerics", { min: 2, stop: " -- the end" }),
    oracle: stopping(/[\p{L}0-9]/u, 2, Number.POSITIVE_INFINITY, " -- the end"),
    allowed: ["a1 -- the end", "été2024 -- the end"],
    rejected: ["a -- the end", "a1", "a1 -- the ende", "a_ -- the end"],
    answers: { "a1 -- the end": "a1", "été2024 -- the end": "été2024" },
  },
  {
    name: "chars: letters and a stop that is letters",
    strategy: chars("letters", { min: 2, max: 5, stop: "aab" }),
    oracle: stopping(/\p{L}/u, 2, 5, "aab"),
    allowed: ["xyaab", "aaaab", "abaab", "abcdeaab"],
    rejected: ["aab", "xaab", "aabaab", "xaabaab", "abcdefaab", "xyaa"],
    answers: { xyaab: "xy", aaaab: "aa", abaab: "ab", abcdeaab: "abcde" },
  },
  {
    name: "chars: a number",
    strategy: chars("number"),
    oracle: whole(number),
    allowed: ["0", "-1", "10.05", "1e5", "-0.5E-10", "123456789012345678901234567890"],
    rejected: ["", "-", "--1", "1e", "1.", ".5", "01", "1.5.2", "1e5.3", "+1", "1 "],
  },
  {
    name: "chars: a number of some length, and a stop",
    strategy: chars("number", { min: 2, max: 5, stop: "\n" }),
    oracle: (text) => /^[-+.0-9eE]{2,5}\n$/.test(text) && whole(number)(text.slice(0, -1)),
    allowed: ["10\n", "-1\n", "1.555\n", "1e-10\n"],
    rejected: ["1\n", "123456\n", "-\n", "1e\n", "10", "\n"],
    answers: { "10\n": "10", "-1\n": "-1", "1.555\n": "1.555", "1e-10\n": "1e-10" },
  },
  {
    name: "chars: a number, and a stop that it might have in it",
    strategy: chars("number", { stop: "5" }),
    oracle: (text) => text.indexOf("5") === text.length - 1 && whole(number)(text.slice(0, -1)),
    allowed: ["15", "-0.25", "1e25"],
    rejected: ["5", "155", "1.5", "-5", "1"],
    answers: { "15": "1", "-0.25": "-0.2", "1e25": "1e2" },
  },
  {
    name: "chars: a string up to the quotation mark",
    strategy: chars("string", { min: 1, max: 8, stop: '"' }),
    oracle: stopping(stringCharacter, 1, 8, '"'),
    allowed: ['a"', '\\""', 'é 🙂\\n"', '\\u00e9\\ud83d\\ude42"', "it's\"", '\\\\\\""'],
    rejected: ['"', 'a""', '\\"', "a", 'a\n"', '\\x"', '\\ud83d"', '123456789"', '\\u00"'],
    answers: {
      'a"': "a",
      '\\""': '\\"',
      'é 🙂\\n"': "é 🙂\\n",
      '\\u00e9\\ud83d\\ude42"': "\\u00e9\\ud83d\\ude42",
      "it's\"": "it's",
      '\\\\\\""': '\\\\\\"',
    },
  },
  {
    name: "chars: a string, and a stop that looks like an escape",
    strategy: chars("string", { stop: "\\n" }),
    oracle: stopping(stringCharacter, 0, Number.POSITIVE_INFINITY, "\\n"),
    allowed: ["\\n", "a\\n", "\\t\\n", "\\\\n\\n"],
    rejected: ["", "a", "\\n\\n", "a\\\\n"],
    answers: { "\\n": "", "a\\n": "a", "\\t\\n": "\\t", "\\\\n\\n": "\\\\n" },
  },
  {
    name: "list: wrapped choices",
    strategy: list(choices(["red", "green", "blue"]), { open: "[", close: "]", wrap: '"', min: 1, max: 3 }),
    oracle: whole(/\["(?:red|green|blue)"(?:, "(?:red|green|blue)"){0,2}\]/),
    allowed: ['["red"]', '["red", "green", "blue"]', '["blue", "blue"]'],
    rejected: ["[]", '["red", ]', '["red"', '["red","green"]', '["red", "red", "red", "red"]', "[red]"],
  },
  {
    name: "list: a close of two equal characters, an end, no least number",
    strategy: list(chars("digits", { min: 1 }), { open: "[[", close: "]]", separator: ",", end: " OK" }),
    oracle: whole(/\[\[(?:[0-9]+(?:,[0-9]+)*)?\]\] OK/),
    allowed: ["[[]] OK", "[[1]] OK", "[[12,3,400]] OK"],
    rejected: ["[[1] OK", "[[1]]", "[[1,]] OK", "[1]] OK"],
  },
  {
    name: "list: neither open nor close nor wrap",
    strategy: list(chars("letters", { min: 1, max: 4 }), { separator: "\n", max: 3 }),
    oracle: whole(/\p{L}{1,4}(?:\n\p{L}{1,4}){0,2}/u),
    allowed: ["a", "ab\ncd", "a\nb\nc"],
    rejected: ["", "a\n", "\na", "a\n\nb", "a\nb\nc\nd", "abcde"],
  },
  {
    name: "list: an item that stops at the wrap, and one that stops at the separator",
    strategy: seq(
      list(chars("string", { stop: '"' }), { open: "[", close: "]", wrap: '"' }),
      list(chars("string", { stop: "; " }), { open: "(", close: ")", separator: "; ", min: 1 }),
    ),
    oracle: (text) =>
      new RegExp(
        `^\\[(?:"(?:${stringCharacter.source})*"(?:, "(?:${stringCharacter.source})*")*)?\\]\\((?:(?!; )(?:${stringCharacter.source}))*(?:; (?:(?!; )(?:${stringCharacter.source}))*)*\\)$`,
        "u",
      ).test(text),
    allowed: ["[]()", '["a"](b)', '["", "x, y"](a; b; c)', '["\\""]())'],
    rejected: ["", '["a""](b)', '["a", ](b)', '["a"](b', '["a" "b"]()'],
  },
  {
    name: "list: a fixed row",
    strategy: list([choices(["x", "y"]), chars("number"), until({ end: "!" })], { open: "(", close: ")" }),
    oracle: (text) =>
      /^\([xy], .*\)$/su.test(text) && whole(new RegExp(`\\([xy], ${number.source}, [^!]*!\\)`))(text),
    allowed: ["(x, 1, so!)", "(y, -2.5e3, !)"],
    rejected: ["(x, 1)", "(1, x, so!)", "(x, 1, so!!)", "(x, 1, so!, )", "(x, 1, so)"],
  },
  {
    name: "list: free text up to the bracket that closes the list",
    strategy: list(until({ end: "]" }), { open: "[", close: "]", max: 2 }),
    oracle: (text) => /^\[[^\]]*\]$/su.test(text),
    allowed: ["[]", "[a]", "[a, b]", "[é\n, ]"],
    rejected: ["[a]]", "[a], b]]", "[a", "a]"],
  },
  {
    name: "list: free text up to a closing text that overlaps itself",
    strategy: list([until({ start: "<", end: "]]" })], { close: "]]" }),
    oracle: (text) => /^<.*\]\]$/su.test(text) && text.indexOf("]]") === text.length - 2,
    allowed: ["<]]", "<a]b]]"],
    rejected: ["<a]]]", "<a]]]]", "<a]", "<a"],
  },
  {
    name: "list of lists",
    strategy: list(
      list(chars("digits", { min: 1, max: 2 }), { open: "[", close: "]", separator: ",", max: 2 }),
      {
        open: "[",
        close: "]",
        separator: ",",
      },
    ),
    oracle: whole(/\[(?:\[(?:\d{1,2}(?:,\d{1,2})?)?\](?:,\[(?:\d{1,2}(?:,\d{1,2})?)?\])*)?\]/),
    allowed: ["[]", "[[]]", "[[1,22],[],[3]]"],
    rejected: ["[1]", "[[1,2,3]]", "[[1],]", "[[1]", "[[123]]"],
  },
  {
    name: "oneOf: strategies and texts",
    strategy: oneOf(chars("digits", { min: 1, stop: "." }), "unknown", "12", regex(/[a-z]{3}\d/)),
    oracle: whole(/[0-9]+\.|unknown|12|[a-z]{3}\d/),
    allowed: ["1.", "12", "12.", "unknown", "abc4"],
    rejected: ["", "1", "unknow", "123", "12..", "abc"],
    answers: { "1.": "1", "12.": "12" },
  },
  {
    name: "seq: with a part that may be left out",
    strategy: seq(
      "id-",
      chars("digits", { min: 2, max: 2 }),
      oneOf("", seq(" (", choices(["old", "new"]), ")")),
    ),
    oracle: whole(/id-\d\d(?: \((?:old|new)\))?/),
    allowed: ["id-01", "id-22 (old)", "id-22 (new)"],
    rejected: ["id-1", "id-01 ", "id-01 ()", "01", "id-01 (old) "],
  },
  {
    name: "regex: a date",
    strategy: regex(/\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])/),
    oracle: whole(/\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])/),
    allowed: ["2024-02-29", "1999-12-31"],
    rejected: ["2024-13-01", "2024-2-29", "2024-02-29 ", "24-02-29", "2024-02-32"],
  },
  {
    name: "regex: prose",
    strategy: regex(/[A-Z][a-z ,.]{20,60}\./),
    oracle: whole(/[A-Z][a-z ,.]{20,60}\./),
    allowed: ["So it was, and so it is to be.", "A cat, a dog. and so on, and on."],
    rejected: ["So it was.", "so it was, and so it is to be.", "So it was, and so It is to be."],
  },
  {
    name: "regex: characters beyond ASCII, without case",
    strategy: regex(/(?:straße|[^a-z\s]{2}|🙂+)/iu),
    oracle: whole(/(?:straße|[^a-z\s]{2}|🙂+)/iu),
    allowed: ["straße", "STRAßE", "12", "中é", "🙂", "🙂🙂🙂"],
    rejected: ["", "strasse", "ab", "a1", "🙃", "1"],
  },
  {
    name: "grammar: sums, with recursion at the left and in the middle",
    strategy: grammar(`
      root    ::= sum
      sum     ::= sum [-+] product | product
      product ::= product "*" factor | factor
      factor  ::= [0-9]+ | "(" sum ")"
    `),
    oracle: isSum,
    allowed: ["1", "1+2*3", "(1+2)*3-40", "((((7))))", "(1)*(2-(3+4))"],
    rejected: ["", "1+", "(1", "1)", "1+*2", "()", "a"],
  },
  {
    name: "grammar: palindromes",
    strategy: grammar('root ::= "a" root "a" | "b" root "b" | "中" root "中" | "a" | "b" | "中" | ""'),
    oracle: isPalindrome,
    allowed: ["", "a", "abba", "ab中ba", "中中"],
    rejected: ["ab", "ab中", "abab", "中a"],
  },
];
