/** The prompt as the model sees it: chat template applied, token by token. */
import { useRef, useState } from "react";
import { useStore } from "zustand";
import { messageOf } from "../../base/message-of.ts";
import { visibleText } from "../../trace/visible-text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { plural } from "../../ui/format.ts";
import { Paged } from "../../ui/paged.tsx";
import { readAnswer } from "../store/answer-settings.ts";
import { useStores } from "../store/stores.ts";
import { messagesOf } from "../store/turns.ts";

/** How many tokens are drawn at a time, each in an element of its own. */
const tokensShown = 1_000;

type Tokens = readonly { readonly token: number; readonly text: string }[];

export function PromptView() {
  const { conversation, model, engine, settings } = useStores();
  const status = useStore(model, (state) => state.status);
  const [shown, setShown] = useState<Tokens | string | null>(null);
  /** Ends the tokenization of a prompt whose dialog is closed. */
  const closing = useRef(new AbortController());
  const close = () => {
    closing.current.abort();
    setShown(null);
  };
  const open = async () => {
    closing.current = new AbortController();
    const { signal } = closing.current;
    setShown(
      status.type === "ready" ? "Making the prompt …" : "Loading the model, whose tokenizer this needs …",
    );
    try {
      const loaded = await model.getState().load();
      if (signal.aborted) return;
      const { status: now } = model.getState();
      const answer = readAnswer(settings.getState().answer);
      const messages = messagesOf(conversation.getState().turns);
      if (!answer.ok) setShown(answer.problem);
      else if (loaded) setShown(await engine.session.tokenizePrompt({ messages, ...answer.fields }, signal));
      else setShown(now.type === "failed" ? now.message : "The model was not loaded.");
    } catch (cause) {
      if (!signal.aborted) setShown(messageOf(cause));
    }
  };
  return (
    <>
      <Button weight="quiet" onClick={() => void open()}>
        Prompt as the model sees it
      </Button>
      {shown !== null && (
        <Dialog title="The prompt, as the model sees it" onClose={close} wide>
          {typeof shown === "string" ? <p>{shown}</p> : <PromptTokens tokens={shown} />}
        </Dialog>
      )}
    </>
  );
}

function PromptTokens({ tokens }: { tokens: Tokens }) {
  return (
    <>
      <p className="prompt-count">{plural(tokens.length, "token")}, chat template applied</p>
      <Paged count={tokens.length} size={tokensShown} noun="tokens">
        {(from, to) => (
          <p className="prompt-tokens">
            {tokens.slice(from, to).map(({ token, text }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a prompt never change places
              <span key={from + place} title={`id ${token}`}>
                {visibleText(text)}
                {text.endsWith("\n") && "\n"}
              </span>
            ))}
          </p>
        )}
      </Paged>
    </>
  );
}
