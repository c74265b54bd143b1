/**
 * Keeps the page whole while the browser translates it. Chrome and Edge replace each text node by a `<font>` element with the
 * translation. React and Preact still hold the text node: when they remove it, or insert something before it, the browser
 * throws, and a new text that they write into it is seen by nobody. So the text node takes its place in the page again just
 * before it is needed; the browser then translates its new text. Fetched after the first paint.
 */

/** The element with the translation, by the text node that it replaced. */
const translations = new WeakMap<Node, Element>();

/** Keeps the page's text nodes usable while the browser translates the page, until the returned function is called. */
export function supportPageTranslation(root: Document = document): () => void {
  const observer = new MutationObserver((changes) => {
    for (const change of changes) {
      // The text node itself changed: the page writes a new text.
      if (change.type === "characterData") putBack(change.target);
      else
        for (const text of change.removedNodes) {
          const translation = text instanceof Text && text.parentNode === null && translationAt(change);
          if (!translation) continue;
          translations.set(text, translation);
          observer.observe(text, { characterData: true });
        }
    }
  });
  observer.observe(root, { childList: true, subtree: true });
  const restore = patchNodes();
  return () => {
    observer.disconnect();
    restore();
  };
}

/** The `<font>` that came in the place of a removed text: in the same change, or in a change before or after it. */
function translationAt({ addedNodes, previousSibling, nextSibling }: MutationRecord): Element | undefined {
  const isFont = (node: Node | null): node is Element => node?.nodeName === "FONT";
  return [...addedNodes, previousSibling, nextSibling].find(isFont);
}

function putBack(text: Node): void {
  const translation = translations.get(text);
  if (text.parentNode === null && translation?.parentNode) translation.replaceWith(text);
  translations.delete(text);
}

/** Nothing changes for nodes that stand where their caller expects them. Returns a function that undoes the patch. */
function patchNodes(): () => void {
  const nodes = Node.prototype;
  const { removeChild, insertBefore } = nodes;
  const isLost = (parent: Node, child: Node) => {
    if (child.parentNode === parent || !translations.has(child)) return false;
    putBack(child);
    return child.parentNode !== parent;
  };
  nodes.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    return isLost(this, child) ? child : (removeChild.call(this, child) as Child);
  };
  nodes.insertBefore = function <Inserted extends Node>(
    this: Node,
    inserted: Inserted,
    before: Node | null,
  ): Inserted {
    const place = before !== null && isLost(this, before) ? null : before;
    return insertBefore.call(this, inserted, place) as Inserted;
  };
  return () => Object.assign(nodes, { removeChild, insertBefore });
}
