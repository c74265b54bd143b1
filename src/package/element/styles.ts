/**
 * The timeline's style sheets, as the build gives them (`scripts/build-element.ts`): each part brings its own. They are adopted by
 * the shadow roots of all elements, so that no page's policy on styles matters.
 */

const texts: string[] = [];
const adopters = new Set<WeakRef<ShadowRoot>>();
/** A style sheet belongs to the document that made it. */
const sheets = new WeakMap<Document, CSSStyleSheet[]>();

/** Called by each part once, when it is loaded. Does nothing else before there is an element, so that a server may import it. */
export function addStyles(text: string): void {
  texts.push(text);
  for (const adopter of adopters) {
    const root = adopter.deref();
    if (root) adoptStyles(root);
    else adopters.delete(adopter);
  }
}

/** Gives a shadow root all styles, now and as parts come. To be called again once the element is in another document. */
export function adoptStyles(root: ShadowRoot): void {
  const document = root.ownerDocument;
  const Sheet = document.defaultView?.CSSStyleSheet;
  if (!Sheet) return;
  const made = sheets.get(document) ?? [];
  sheets.set(document, made);
  for (const text of texts.slice(made.length)) {
    const sheet = new Sheet();
    sheet.replaceSync(text);
    made.push(sheet);
  }
  root.adoptedStyleSheets = made;
  if (![...adopters].some((adopter) => adopter.deref() === root)) adopters.add(new WeakRef(root));
}
