import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { Automaton, DEAD } from "../../automaton/automaton.ts";
import { Expressions } from "../../automaton/expression.ts";
import type { StringAlternative } from "../normal-form.ts";
import { knownFormats } from "./formats.ts";
import { anyString } from "./scalars.ts";
import { matchesString, stringContent } from "./string.ts";

const ajv = new Ajv2020();
addFormats.default(ajv, { mode: "full" });

/** A generator of numbers from 0 to 1 that always gives the same ones (mulberry32). */
function randomness(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A text along random steps: each next state as likely as another, whatever the number of bytes that lead there; null when it grows too long. */
function walk(automaton: Automaton, random: () => number): string | null {
  const bytes: number[] = [];
  for (let state = automaton.start; bytes.length < 400; ) {
    const row = automaton.row(state);
    const targets = [...new Set(row)].filter((target) => target !== DEAD);
    if (automaton.isAccepting(state) && (targets.length === 0 || random() < 0.15)) {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
    }
    const target = targets[Math.floor(random() * targets.length)] ?? DEAD;
    const ways = Array.from(row.keys()).filter((byte) => row[byte] === target);
    const byte = ways[Math.floor(random() * ways.length)];
    if (byte === undefined)
      throw new Error(`A dead end after ${JSON.stringify(String.fromCharCode(...bytes))}`);
    bytes.push(byte);
    state = target;
  }
  return null;
}

function automatonOf(part: Partial<StringAlternative>): Automaton {
  const expressions = new Expressions();
  return new Automaton(expressions, stringContent(expressions, { ...anyString, ...part }));
}

const judged = [...knownFormats].filter((format) => ajv.formats[format] !== undefined);

test("ajv-formats judges all but the international ones", () => {
  expect([...knownFormats].filter((format) => !judged.includes(format)).sort()).toEqual([
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
  ]);
});

test.each(judged)("every text offered for %s is taken by ajv-formats", (format) => {
  const automaton = automatonOf({ formats: [format] });
  const validate = ajv.compile({ type: "string", format });
  const random = randomness(7);
  let judgedTexts = 0;
  for (let round = 0; round < 400; round++) {
    const text = walk(automaton, random);
    if (text === null) continue;
    judgedTexts++;
    const value: unknown = JSON.parse(`"${text}"`);
    expect([value, validate(value)]).toEqual([value, true]);
  }
  expect(judgedTexts).toBeGreaterThan(40);
});

test.each(judged.filter((format) => format !== "regex"))(
  "no text offered for what is not %s is one for ajv-formats",
  (format) => {
    // ajv-formats takes a text for "byte" if one of its lines is.
    const patterns = format === "byte" ? ["^.*$"] : [];
    const automaton = automatonOf({ notFormats: [format], maxLength: 30, patterns });
    const validate = ajv.compile({ type: "string", not: { format } });
    const random = randomness(11);
    for (let round = 0; round < 100; round++) {
      const text = walk(automaton, random);
      if (text === null) continue;
      const value: unknown = JSON.parse(`"${text}"`);
      expect([value, validate(value)]).toEqual([value, true]);
    }
  },
);

const examples: Record<string, { valid: string[]; invalid: string[] }> = {
  date: {
    valid: ["2024-02-29", "2000-02-29", "0000-02-29", "1999-12-31", "2023-04-30"],
    invalid: [
      "2023-02-29",
      "1900-02-29",
      "2024-02-30",
      "2023-04-31",
      "2023-13-01",
      "2023-00-10",
      "2023-1-1",
      "23-01-01",
      "২023-01-01",
    ],
  },
  time: {
    valid: [
      "12:30:00Z",
      "00:00:00.5+05:30",
      "23:59:60Z",
      "23:59:60.25+00:00",
      "01:29:60+01:30",
      "23:29:60+23:30",
      "15:59:60-08:00",
      "00:29:60-23:30",
      "12:00:00z",
    ],
    invalid: [
      "24:00:00Z",
      "12:60:00Z",
      "12:00:61Z",
      "12:00:00",
      "22:59:60Z",
      "23:59:60+01:00",
      "12:00:00+24:00",
      "12:00:00+05",
      "1:00:00Z",
      "12:00:00,5Z",
    ],
  },
  "date-time": {
    valid: [
      "2024-02-29T23:59:59Z",
      "1990-12-31T23:59:60Z",
      "1990-12-31T15:59:60.123-08:00",
      "1963-06-19t08:30:06.283185z",
    ],
    invalid: [
      "2023-02-29T00:00:00Z",
      "2023-02-28 00:00:00Z",
      "2023-02-28T00:00:00",
      "2023-02-28",
      "1990-12-31T15:59:60Z",
    ],
  },
  duration: {
    valid: ["P4DT12H30M5S", "P4Y", "PT0S", "P0D", "P1M", "PT1M", "PT36H", "P1DT12H", "P2W", "P1Y2M3DT4H5M6S"],
    invalid: [
      "P",
      "PT",
      "P1",
      "P1YT",
      "P1Y2D",
      "PT1H2S",
      "P1Y2DT1H",
      "P2D1Y",
      "P1D2H",
      "P2S",
      "P1Y2W",
      "PT1D",
      "4DT12H",
    ],
  },
  email: {
    valid: [
      "joe.bloggs@example.com",
      "a+b~c@sub.example.co.uk",
      "o'neil@example.org",
      '"joe..bloggs"@example.com',
      '"joe@\\"bloggs"@example.com',
      "joe@[127.0.0.1]",
      "joe@[IPv6:::1]",
    ],
    invalid: [
      "a",
      "@example.com",
      "a@",
      "a@b",
      ".a@b.c",
      "a.@b.c",
      "a..b@c.d",
      "a@-b.c",
      "a b@c.d",
      "é@example.com",
      '"joe"bloggs"@example.com',
      "joe@[127.0.0.256]",
      "joe@[::1]",
    ],
  },
  "idn-email": {
    valid: [
      "실례@실례.테스트",
      "joe@example.com",
      "é@example.com",
      '"joe bloggs"@실례.테스트',
      "실례@[127.0.0.1]",
    ],
    invalid: ["2962", "@é.fr"],
  },
  hostname: {
    valid: [
      "www.example.com",
      "localhost",
      "a-b.c1",
      "xn--4gbwdl.xn--wgbh1c",
      "XN--BCHER-KVA",
      "xn.x--n.xn-a",
      "1host",
      `${"a".repeat(63)}.com`,
    ],
    invalid: [
      "-a",
      "a-",
      "a_b",
      "a..b",
      ".a",
      "",
      "a b",
      `${"a".repeat(64)}.com`,
      `${"a.".repeat(127)}`,
      `${"ab.".repeat(85)}c`,
      "xn--X",
      "a.xn--",
      "xn--aab",
      "xn--bab",
      "xn--bcher-",
      "xn--4gbwdl0",
      `xn--${"a".repeat(50)}-4gbwdlaaa`,
    ],
  },
  "idn-hostname": {
    valid: [
      "실례.테스트",
      "bücher.example",
      "example.com",
      "ßς་〇",
      "۽۾",
      "l·l",
      "α͵β",
      "א׳ב",
      "א״ב",
      "・ぁ",
      "ب٠ب",
      "۰0",
      "क्\u200dष",
    ],
    invalid: ["〮실례", "a b", "-é", "é-", "Ünder", "", "a·l", "l·a", "α͵S", "・a", "٠۰", "क\u200dष"],
  },
  ipv4: {
    valid: ["0.0.0.0", "192.168.1.255"],
    invalid: ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5", "1.2.3.٤"],
  },
  ipv6: {
    valid: [
      "::",
      "::1",
      "1::",
      "1:2:3:4:5:6:7:8",
      "fe80::1:2",
      "::ffff:192.168.0.1",
      "1:2:3:4:5:6:1.2.3.4",
      "1:2:3:4:5:6:7::",
      "::2:3:4:5:6:7:8",
    ],
    invalid: [
      "1:2:3:4:5:6:7",
      "1::2::3",
      "12345::",
      "::1.2.3",
      ":1",
      "1:",
      "1:2:3:4:5:6:7:8:9",
      "fe80::a%eth1",
    ],
  },
  uri: {
    valid: [
      "https://example.com/a?b=c#d",
      "http://user:pw@[::1]:8080/",
      "mailto:a@b.c",
      "urn:isbn:0-486-27557-4",
      "tel:+1-816-555-1212",
      "ftp://ftp.is.co.za/rfc/rfc1808.txt",
      "file:///etc/hosts",
      "http://例.com".replace("例", "xn--fsq"),
    ],
    invalid: [
      "//a.b",
      "/a",
      "a",
      "http:// x",
      "http://a b",
      ":// x",
      "http://a/\\b",
      "http://a?<b>",
      "http://a[b",
    ],
  },
  "uri-reference": {
    valid: ["/a/b?c#d", "../a", "", "#x", "//a.b/c", "https://a.b", "a;b=1"],
    invalid: ["\\\\a", "#a\\b", "a b", "1a:b"],
  },
  iri: { valid: ["http://ƒøø.ßår/?∂éœ=πîx#πîüx", "https://a.b/c"], invalid: ["/ä", "ä", "http://ä b"] },
  "iri-reference": { valid: ["/âππ", "âππ", "#ƒrägmênt", "http://ä.ö"], invalid: ["\\\\ä", "#ƒräg\\mênt"] },
  "uri-template": {
    valid: [
      "http://example.com/dictionary/{term:1}/{term}",
      "{?q,lang*}",
      "",
      "/a{/b}",
      "{geo.lat,geo.long}",
    ],
    invalid: ["{", "a}", "{a", "{}", "a b"],
  },
  uuid: {
    valid: ["2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
    invalid: [
      "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
      "2eb8aa08aa9811eab4aa73b441d16380",
      "2eb8aa08-aa98-11ea-b4aa-73b441d1638g",
    ],
  },
  "json-pointer": { valid: ["", "/a", "/a~1b/~0", "/é/", "//"], invalid: ["a", "/~", "/~2", "#/a"] },
  "relative-json-pointer": {
    valid: ["0", "1/a", "0#", "120/foo/bar"],
    invalid: ["/a", "01", "-1", "1a", "0##", "+1/a"],
  },
  byte: {
    valid: ["", "TWlkdG9rZW4=", "TQ==", "TWlk"],
    invalid: ["T", "TWl", "TQ=", "TWlk=", "T-_k", "TWlk TWlk"],
  },
  regex: {
    valid: ["^[a-z]+$", "a|b", "([abc])+\\s+$", "(?:a(b)?){2,}", "", "\\d{3}-\\d{4}"],
    invalid: ["^(abc]", "[", "a)", "*a"],
  },
};

describe("everyday texts", () => {
  test.each(Object.entries(examples))("%s", (format, { valid, invalid }) => {
    for (const [texts, expected] of [
      [valid, true],
      [invalid, false],
    ] as const) {
      for (const text of texts) {
        const found = matchesString({ ...anyString, formats: [format] }, text);
        expect([format, text, found]).toEqual([format, text, expected]);
      }
    }
    expect(knownFormats.has(format)).toBe(true);
  });

  test("every format has examples", () => {
    expect(Object.keys(examples).sort()).toEqual([...knownFormats].sort());
  });
});

/** Whether the text is offered, not only taken where it stands in the schema. */
function isOffered(format: string, text: string): boolean {
  const automaton = automatonOf({ formats: [format] });
  const bytes = new TextEncoder().encode(JSON.stringify(text).slice(1, -1));
  return automaton.isAccepting(bytes.reduce((state, byte) => automaton.step(state, byte), automaton.start));
}

test.each([
  ["idn-hostname", "xn--X", "x-n.xn"],
  ["idn-hostname", "a.XN--aa---o47jg78q", "a.xnn-aa"],
  ["email", '"a"@b.c', "a@b.c"],
  ["uri-template", "{a.b}", "{a_b}"],
  ["regex", "^a{10,9}$", "^[a-z]{3,16}$"],
  ["regex", "[", "^/users/[0-9]{1,9}$"],
  ["regex", "^a{32,16}$", "^(?:[a-z]{12,20}|\\d{0,100}|x{20,300})$"],
])("%s: %j is not offered, %j is", (format, not, offered) => {
  expect([isOffered(format, not), isOffered(format, offered)]).toEqual([false, true]);
});

test("what is offered for a regex has groups to a depth of three, though any regular expression is one", () => {
  const automaton = automatonOf({ formats: ["regex"] });
  const accepts = (text: string) => {
    let state = automaton.start;
    for (const byte of new TextEncoder().encode(text)) state = automaton.step(state, byte);
    return automaton.isAccepting(state);
  };
  expect(accepts("(a(b(c)))")).toBe(true);
  expect(accepts("(a(b(c(d))))")).toBe(false);
  expect(matchesString({ ...anyString, formats: ["regex"] }, "(a(b(c(d))))")).toBe(true);
  expect(() => automatonOf({ notFormats: ["regex"] })).toThrow(
    /"not" cannot be enforced with the format "regex"/,
  );
});
