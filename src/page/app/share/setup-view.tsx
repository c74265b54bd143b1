/** A shared setup (model, prompt, mods, settings), to be read before it goes into the editor. None of its code runs. */

import { useState } from "react";
import { textOfMessage } from "../../../core/base/message-text.ts";
import { runToEnd } from "../../../core/base/resumable-work.ts";
import { isRequestFormatMod } from "../../../core/sdk/built-in.ts";
import { decodingSetup } from "../../../core/trace/file/setup-link.ts";
import type { RequestRecord, TraceMessage } from "../../../core/trace/format/format-request.ts";
import { visibleSource } from "../../../core/trace/text/visible-source.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { Button } from "../../../view/ui/button.tsx";
import { countWithNoun, shorten } from "../../../view/ui/format.ts";
import { PagedList } from "../../../view/ui/paged.tsx";
import type { PageStores } from "../store/page-stores.ts";
import { BrokenLink } from "./broken-link.tsx";
import { isFramedByAnother } from "./framed.ts";
import { UnreadLinkPage } from "./front-page.tsx";
import type { PlaygroundHandOver } from "./hand-over.ts";
import { SourceText } from "./source-text.tsx";
import "./setup-view.css";

interface SetupViewProps {
  readonly page: PageStores;
  /** The fragment of the address, with its `#`. */
  readonly hash: string;
  /** Goes to the playground. */
  readonly leave: (handed: PlaygroundHandOver) => void;
}

export function SetupView({ page, hash, leave }: SetupViewProps) {
  const [setup] = useState(() => setupOf(hash));
  if (setup instanceof Error) return <BrokenLink page={page} error={setup} />;
  const mods = setup.mods.filter((mod) => !isRequestFormatMod(mod));
  const isFramed = isFramedByAnother(window);
  return (
    <UnreadLinkPage page={page} className="setup">
      <h2>A setup from someone else</h2>
      <p>
        Nothing has run, and none of your work has changed. If you open this setup in the editor, your own
        mods stay in the list, switched off. You can undo the change.{" "}
        {isFramed && "This page is shown inside another site: open it in its own tab to use it."}
      </p>
      <p className="fault-actions">
        {isFramed ? (
          <a className="button" href={location.href} target="_blank" rel="noopener noreferrer">
            Open in its own tab
          </a>
        ) : (
          <Button weight="primary" onClick={() => leave({ request: setup, read: null, run: false })}>
            Open in the editor
          </Button>
        )}
        <a className="button" href="./#">
          Open the playground
        </a>
      </p>
      <dl className="setup-facts">
        {metadataOf(setup).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h3>The prompt</h3>
      {setup.messages.length === 0 && <p>No prompt: the sender left it out.</p>}
      <PagedList count={setup.messages.length} size={messagesShown} noun="messages">
        {(from, to) =>
          setup.messages.slice(from, to).map((message, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a setup never change places
            <div key={from + place} className="setup-message">
              <small>{message.role}</small>
              <p>{shownText(message)}</p>
            </div>
          ))
        }
      </PagedList>
      <h3>{mods.length === 0 ? "No mods" : countWithNoun(mods.length, "mod")}</h3>
      <PagedList count={mods.length} size={modsShown} noun="mods">
        {(from, to) =>
          mods.slice(from, to).map(({ name, source }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the mods of a setup never change places
            <section key={from + place}>
              <h4>{showInvisibleCharacters(name)}</h4>
              <SourceText source={source} line={null} />
            </section>
          ))
        }
      </PagedList>
    </UnreadLinkPage>
  );
}

/** Most messages and most mods that are drawn at a time, and most UTF-16 units of each message. */
const messagesShown = 20;
const modsShown = 4;
const longestMessage = 4_000;

function setupOf(hash: string): RequestRecord | Error {
  try {
    return runToEnd(decodingSetup(hash));
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause));
  }
}

function shownText(message: TraceMessage): string {
  const text = textOfMessage(message);
  return shorten(visibleSource(text.slice(0, 2 * longestMessage)).text, longestMessage);
}

function metadataOf(setup: RequestRecord): readonly (readonly [string, string])[] {
  const { model, sampling, seed, maxTokens, stop, tools, responseFormat } = setup;
  const rows: (readonly [string, string] | false)[] = [
    ["Model", showInvisibleCharacters(model.id, 200)],
    ["Temperature", String(sampling.temperature)],
    ["Max tokens", String(maxTokens)],
    ["Seed", String(seed)],
    stop.length > 0 && ["Stop sequences", showInvisibleCharacters(stop.slice(0, 10).join(" · "), 200)],
    tools.length > 0 && ["Tools", String(tools.length)],
    responseFormat !== null && ["Response format", showInvisibleCharacters(responseFormat, 200)],
  ];
  return rows.filter((entry) => entry !== false);
}
