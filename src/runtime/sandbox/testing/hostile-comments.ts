/** Sources whose comments name files on another server: a name for the method, and the source. */
export const hostileComments: readonly (readonly [name: string, source: string])[] = [
  ["a source map at the end", "export const a = 1;\n//# sourceMappingURL=http://evil.example/x.map"],
  ["a source map at the start", "//# sourceMappingURL=http://evil.example/x.map\nexport const a = 1;"],
  ["in the old spelling", "export const a = 1;\n//@ sourceMappingURL=http://evil.example/x.map"],
  ["in a comment of several lines", "export const a = 1;\n/*# sourceMappingURL=http://evil.example/x.map */"],
  ["a name of one's own", "export const a = 1;\n//# sourceURL=http://evil.example/x.js"],
  [
    "both, many times",
    "//# sourceURL=http://evil.example/x.js\n//# sourceMappingURL=http://evil.example/x.map\n".repeat(50),
  ],
  [
    "ended by a line separator",
    "export const a = 1;\n//# sourceMappingURL=http://evil.example/x.map\u2028//# sourceURL=http://evil.example/y",
  ],
  ["in a template", "export const a = `\n//# sourceMappingURL=http://evil.example/x.map\n`;"],
  ["behind a carriage return", "export const a = 1;\r//# sourceMappingURL=http://evil.example/x.map\r"],
];
