/**
 * Bytes ↔ the fragment of an address: `#t1.`, then the bytes in base64url, then `z`. The letter says what they hold, the 1 how
 * bytes become text; the version of a trace is in the bytes. The `z` is there because programs that find links in a text drop
 * a dash at the end of one.
 */

import { fromBase64Url, toBase64Url } from "../codec/bytes.ts";
import { newerMidtoken } from "../format/check-version.ts";
import { traceLimits } from "../format/limits.ts";
import { TraceError } from "../format/trace-error.ts";
import { type FragmentKind, fragmentKind } from "./fragment-kind.ts";

const ending = "z";
const holds: Readonly<Record<FragmentKind, string>> = { t: "trace", s: "setup" };

/** The fragment, with its `#`. */
export function fragmentOf(kind: FragmentKind, bytes: Uint8Array): string {
  return `#${kind}1.${toBase64Url(bytes)}${ending}`;
}

/** @throws TraceError for any text that is no fragment of this kind. */
export function bytesOfFragment(fragment: string, kind: FragmentKind): Uint8Array {
  if (fragment.length > traceLimits.fragmentLength) {
    throw new TraceError(
      `The link has ${fragment.length} characters, and at most ${traceLimits.fragmentLength} are opened.`,
    );
  }
  const whole = fragment.startsWith("#") ? fragment : `#${fragment}`;
  const prefix = `#${kind}1.`;
  if (!whole.startsWith(prefix)) {
    if (fragmentKind(whole) !== kind) {
      throw new TraceError(
        `The link holds no ${holds[kind]}: its part after the # should begin with ${kind}1.`,
      );
    }
    const found = whole.slice(1, whole.indexOf("."));
    throw newerMidtoken(`its link begins with ${found}, and this copy reads ${kind}1`);
  }
  if (!whole.endsWith(ending))
    throw new TraceError("The link is cut off: its end is missing. Copy it again, whole.");
  return fromBase64Url(whole.slice(prefix.length, -ending.length));
}
