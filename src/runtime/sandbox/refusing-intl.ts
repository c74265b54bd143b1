/** `Intl` in a mod's realm. Using any part of it throws. */

import { joinText, RealTypeError } from "./primordials.ts";

const { defineProperty, freeze } = Object;

const parts = [
  ...["Collator", "DateTimeFormat", "DisplayNames", "DurationFormat", "ListFormat", "Locale", "NumberFormat"],
  ...["PluralRules", "RelativeTimeFormat", "Segmenter", "getCanonicalLocales", "supportedValuesOf"],
];

/** An object with the names of `Intl`. Reading a name throws a TypeError that says what to do instead. */
export function createRefusingIntl(): object {
  const intl = {};
  for (const name of parts) {
    defineProperty(intl, name, {
      get(): never {
        throw localeRefusalError(joinText("Intl.", name));
      },
      enumerable: false,
      configurable: true,
    });
  }
  return freeze(intl);
}

/** The error for a function that depends on a language or a region; the same sentence in browsers and in QuickJS. */
export function localeRefusalError(what: string): TypeError {
  return new RealTypeError(
    joinText(
      what,
      " is not available in a mod: mods have no locale data, so that they give the same result on every machine. Format the text yourself.",
    ),
  );
}
