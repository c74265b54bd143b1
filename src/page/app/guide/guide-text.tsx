/** Paragraphs, lists and tables of the guide, from its data. */
import { Fragment } from "react";
import { guideAddress } from "./guide-address.ts";
import type { Block, Inline } from "./guide-content.ts";

export function GuideText({ block }: { block: Exclude<Block, { readonly type: "example" }> }) {
  switch (block.type) {
    case "paragraph":
      return (
        <p>
          <Inlines inlines={block.inlines} />
        </p>
      );
    case "list":
      return (
        <ul className="guide-list">
          {block.items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the guide never changes while it is shown
            <li key={at}>
              <Inlines inlines={item} />
            </li>
          ))}
        </ul>
      );
    case "table":
      return <Table {...block} />;
    case "sample":
      return (
        <pre translate="no" className="guide-output">
          {block.text}
        </pre>
      );
  }
}

function Table({ head, rows }: Extract<Block, { readonly type: "table" }>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
    <div className="guide-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the guide never changes while it is shown
              <th key={at} scope="col">
                <Inlines inlines={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the guide never changes while it is shown
            <tr key={at}>
              {row.map((cell, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the guide never changes while it is shown
                <td key={place}>
                  <Inlines inlines={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inlines({ inlines }: { inlines: readonly Inline[] }) {
  return inlines.map((inline, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the guide never changes while it is shown
    <Fragment key={at}>
      <OneInline inline={inline} />
    </Fragment>
  ));
}

function OneInline({ inline }: { inline: Inline }) {
  switch (inline.type) {
    case "text":
      return inline.text;
    case "code":
      return <code translate="no">{inline.text}</code>;
    case "strong":
      return (
        <strong>
          <Inlines inlines={inline.inlines} />
        </strong>
      );
    case "emphasis":
      return (
        <em>
          <Inlines inlines={inline.inlines} />
        </em>
      );
    case "link":
      return inline.address.startsWith("#") ? (
        <a href={guideAddress(inline.address.slice(1))}>
          <Inlines inlines={inline.inlines} />
        </a>
      ) : (
        <a href={inline.address} target="_blank" rel="noopener noreferrer">
          <Inlines inlines={inline.inlines} />
        </a>
      );
  }
}
