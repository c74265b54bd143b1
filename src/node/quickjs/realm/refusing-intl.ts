/** `Intl` where there is none: each of its parts says so when it is used. */

const parts = [
  ...["Collator", "DateTimeFormat", "DisplayNames", "DurationFormat", "ListFormat", "Locale", "NumberFormat"],
  ...["PluralRules", "RelativeTimeFormat", "Segmenter", "getCanonicalLocales", "supportedValuesOf"],
];

export function refusingIntl(): object {
  const intl = {};
  for (const name of parts) {
    Object.defineProperty(intl, name, {
      get(): never {
        throw new TypeError(refusal(`Intl.${name}`));
      },
      enumerable: false,
      configurable: true,
    });
  }
  return Object.freeze(intl);
}

/** Why something of a language or a region is not there. */
export function refusal(what: string): string {
  return `${what} is not available where mods run in QuickJS, which knows no languages and regions: write the text yourself, or run the mod in a browser.`;
}
