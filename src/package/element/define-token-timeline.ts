/** Registers the element with the page. */
import { TokenTimelineElement } from "./token-timeline-element.ts";

/**
 * Defines `<token-timeline>`, or the same element under another name. Importing `midtoken/timeline` already defines the
 * usual name. Does nothing if the name is taken, and nothing on a server.
 * @throws DOMException if a custom element cannot have the name: it needs lower case and a dash
 */
export function defineTokenTimeline(name = "token-timeline"): void {
  const { customElements } = globalThis;
  if (!customElements || customElements.get(name)) return;
  // A class can be defined only once, so a subclass is made.
  customElements.define(
    name,
    name === "token-timeline" ? TokenTimelineElement : class extends TokenTimelineElement {},
  );
}
