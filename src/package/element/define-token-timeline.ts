/** Makes the element known to the page. */
import { TokenTimelineElement } from "./token-timeline-element.ts";

/**
 * Defines `<token-timeline>`, or the same element under another name. Importing this module has done so for the usual name
 * already. Does nothing where the name is taken, and nothing on a server.
 * @throws DOMException for a name that no custom element can have: lower case, with a dash.
 */
export function defineTokenTimeline(name = "token-timeline"): void {
  const { customElements } = globalThis;
  if (!customElements || customElements.get(name)) return;
  // A class can be defined once.
  customElements.define(
    name,
    name === "token-timeline" ? TokenTimelineElement : class extends TokenTimelineElement {},
  );
}
