/** The prompt as the model sees it: chat template applied, token by token. */
import { useEffect, useState } from "react";
import { messageOf } from "../../../core/base/message-of.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { Dialog } from "../../../view/ui/dialog.tsx";
import { countWithNoun } from "../../../view/ui/format.ts";
import { PagedList } from "../../../view/ui/paged.tsx";
import { answerFieldsOfSettings } from "../store/answer-settings.ts";
import { type Stores, useStores } from "../store/stores.ts";
import { turnsToMessages } from "../store/turns.ts";

/** Number of tokens that are drawn at a time, each in an element of its own. */
const tokensShown = 1_000;

type Tokens = Awaited<ReturnType<Stores["engine"]["session"]["tokenizePrompt"]>>;

export function PromptTokensDialog({ onClose }: { onClose: () => void }) {
  const stores = useStores();
  const [shown, setShown] = useState<Tokens | string>(() =>
    stores.model.getState().status.type === "ready"
      ? "Rendering the prompt …"
      : "Loading the model for its tokenizer …",
  );
  useEffect(() => {
    // Ends the tokenization of a prompt whose dialog is closed.
    const closing = new AbortController();
    promptOf(stores, closing.signal).then(
      (prompt) => !closing.signal.aborted && setShown(prompt),
      (cause: unknown) => !closing.signal.aborted && setShown(messageOf(cause)),
    );
    return () => closing.abort();
  }, [stores]);
  return (
    <Dialog title="The prompt, as the model sees it" onClose={onClose} wide>
      {typeof shown === "string" ? <p>{shown}</p> : <PromptTokens tokens={shown} />}
    </Dialog>
  );
}

/** The tokens, or a sentence that says why there are none. */
async function promptOf(
  { conversation, model, engine, settings }: Stores,
  signal: AbortSignal,
): Promise<Tokens | string> {
  const loaded = await model.getState().load();
  signal.throwIfAborted();
  const { status } = model.getState();
  const answer = answerFieldsOfSettings(settings.getState().answer);
  if (!answer.ok) return answer.problem;
  if (!loaded)
    return status.type === "failed"
      ? status.message
      : "The model was not loaded. Close this dialog, load the model, and try again.";
  const messages = turnsToMessages(conversation.getState().turns);
  return engine.session.tokenizePrompt({ messages, ...answer.fields }, signal);
}

function PromptTokens({ tokens }: { tokens: Tokens }) {
  return (
    <>
      <p className="prompt-count">{countWithNoun(tokens.length, "token")}, chat template applied</p>
      <PagedList count={tokens.length} size={tokensShown} noun="tokens">
        {(from, to) => (
          <p className="prompt-tokens" translate="no">
            {tokens.slice(from, to).map(({ token, text, isSpecial }, place) => (
              <span
                // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a prompt never change places
                key={from + place}
                className={isSpecial && "special-token"}
                title={isSpecial ? `special token, id ${token}` : `id ${token}`}
              >
                {showInvisibleCharacters(text)}
                {text.endsWith("\n") && "\n"}
              </span>
            ))}
          </p>
        )}
      </PagedList>
    </>
  );
}
