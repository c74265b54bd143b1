/**
 * The timeline's style sheets as texts from the build (`scripts/build-element.ts`); each part adds its own. The shadow roots
 * of all elements adopt them, so that a page's content security policy for styles has no effect.
 */

const texts: string[] = [];
const adopters = new Set<WeakRef<ShadowRoot>>();
/** A style sheet belongs to the document that created it. */
const sheets = new WeakMap<Document, CSSStyleSheet[]>();

/** Each part calls this function once, when it is loaded. Without an element it only stores the text, so that a server can import the part. */
export function addStyles(text: string): void {
  texts.push(text);
  for (const adopter of adopters) {
    const root = adopter.deref();
    if (root) adoptStyles(root);
    else adopters.delete(adopter);
  }
}

/**
 * Gives a shadow root all styles, now and when more parts are loaded. Must be called again if the element moves to another
 * document.
 */
export function adoptStyles(root: ShadowRoot): void {
  const document = root.ownerDocument;
  const Sheet = document.defaultView?.CSSStyleSheet;
  if (!Sheet) return;
  const adopted = sheets.get(document) ?? [];
  sheets.set(document, adopted);
  for (const text of texts.slice(adopted.length)) {
    const sheet = new Sheet();
    sheet.replaceSync(text);
    adopted.push(sheet);
  }
  root.adoptedStyleSheets = adopted;
  if (![...adopters].some((adopter) => adopter.deref() === root)) adopters.add(new WeakRef(root));
}
