/** The form for a model server: how to reach it, and which folder has the tokenizer of its model. */
import { type FormEvent, useEffect, useId, useState } from "react";
import { findRelay, type RelayState } from "../../../runtime/session/page-side/model-server.ts";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import { Button } from "../../../view/ui/button.tsx";
import { SegmentedControl } from "../../../view/ui/segmented.tsx";
import { useStores } from "../store/stores.ts";
import { DirectServerFields, type DirectServerValues } from "./direct-fields.tsx";
import { NotedCheckbox } from "./noted-checkbox.tsx";
import { relayAddress } from "./server-address.ts";
import { type ServerDraws, ServerDrawsTokensField } from "./server-draws-field.tsx";
import { ServerModelField, useServerModelField } from "./server-model-field.tsx";
import { foundServerSentence, useServerTest } from "./use-server-test.ts";

const ways = [
  { value: "relay", label: "This page’s server" },
  { value: "direct", label: "Directly" },
] as const;

const directNote =
  "llama.cpp, vLLM or SGLang. The key is sent to this address only. Links, traces and saved files never contain it.";
const relayNote =
  "The server that delivered this page forwards the requests. The page sees neither the model server’s address nor its key.";

export function OwnServerForm({ catalog }: { catalog: readonly CatalogEntry[] }) {
  const { server } = useStores();
  const relayUrl = relayAddress(document.baseURI);
  const relay = useRelay(relayUrl);
  const [saved] = useState(() => server.getState());
  const isDirect = saved.access !== null && saved.access.url !== relayUrl;
  const [way, setWay] = useState<"relay" | "direct">(isDirect ? "direct" : "relay");
  const [direct, setDirect] = useState<DirectServerValues>({
    address: isDirect ? (saved.access?.url ?? "") : "",
    key: saved.access?.key ?? "",
    isRemembered: saved.isRemembered,
  });
  const [serverDraws, setServerDraws] = useState<ServerDraws>(saved.access?.serverDraws ?? true);
  const [acceptRamCache, setAcceptRamCache] = useState(saved.access?.acceptRamCache ?? false);
  const chosen = useServerModelField(catalog);
  const id = useId();
  const isRelayed = relay !== null && way === "relay";
  const target = { ...(isRelayed ? { url: relayUrl } : direct), serverDraws, acceptRamCache };
  const { words, isFaulty, isBusy, test, use, forget } = useServerTest();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void use(target, chosen.folder, direct.isRemembered);
  };
  if (relay === "asking") return <p className="other-note">Checking …</p>;
  return (
    <form className="own-server-form" onSubmit={submit} onChange={forget}>
      {relay !== null && (
        <SegmentedControl label="How the server is reached" value={way} options={ways} onChange={setWay} />
      )}
      {isRelayed ? (
        <RelayNote relay={relay} />
      ) : (
        <DirectServerFields note={directNote} value={direct} onChange={setDirect} />
      )}
      <ServerModelField catalog={catalog} chosen={chosen} />
      <ServerDrawsTokensField value={serverDraws} onChange={setServerDraws} />
      <NotedCheckbox
        label="Accept a llama.cpp server with a RAM cache of prompts"
        note="Such a server may mix up the texts of different conversations. It is safer to start it with -cram 0."
        checked={acceptRamCache}
        onChange={setAcceptRamCache}
      />
      <div className="own-server-buttons">
        <Button disabled={isBusy} aria-describedby={`${id}-end`} onClick={() => void test(target)}>
          Test connection
        </Button>
        <Button type="submit" weight="primary" disabled={isBusy || chosen.folder === null}>
          Use this server
        </Button>
      </div>
      <p
        id={`${id}-end`}
        className={isFaulty ? "field-error" : "other-note"}
        role={isFaulty ? "alert" : "status"}
      >
        {words}
      </p>
    </form>
  );
}

function RelayNote({ relay }: { relay: RelayState }) {
  if ("problem" in relay) return <p className="field-error">{relay.problem}</p>;
  return (
    <p className="other-note">
      {foundServerSentence(relay)} {relayNote}
    </p>
  );
}

/** Whether the page's own server passes requests on. */
function useRelay(url: string): RelayState | "asking" | null {
  const [relay, setRelay] = useState<RelayState | "asking" | null>("asking");
  useEffect(() => {
    const abort = new AbortController();
    const end = (found: RelayState | null) => {
      if (!abort.signal.aborted) setRelay(found);
    };
    findRelay(url, { signal: abort.signal }).then(end, () => end(null));
    return () => abort.abort();
  }, [url]);
  return relay;
}
