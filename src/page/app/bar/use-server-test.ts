/** Tests a connection to a model server, and chooses its model. One test at a time: a new test ends the earlier one. */
import { useEffect, useRef, useState } from "react";
import { messageOf } from "../../../core/base/message-of.ts";
import { type ServerAccess, serverAccessKeys } from "../../../core/base/server-access.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { findModelServer, type ServerFound } from "../../../runtime/session/page-side/model-server.ts";
import { forgetLoadedModel } from "../store/model-store.ts";
import { useStores } from "../store/stores.ts";
import type { DirectServerValues } from "./direct-fields.tsx";
import { parseServerAddress } from "./server-address.ts";
import type { ServerDraws } from "./server-draws-field.tsx";
import type { ChosenModelFolder } from "./server-model-field.tsx";

/** The relay's own address, or what the user typed; which tokens the server may draw, and whether it may have a RAM cache. */
export type ServerTarget = ({ readonly url: string } | Pick<DirectServerValues, "address" | "key">) & {
  readonly serverDraws: ServerDraws;
  readonly acceptRamCache: boolean;
};

interface Shown {
  readonly words: string;
  readonly isFaulty: boolean;
  readonly isBusy: boolean;
}

const nothing: Shown = { words: "", isFaulty: false, isBusy: false };

export function useServerTest() {
  const { server, model } = useStores();
  const [shown, setShown] = useState(nothing);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const fail = (words: string) => setShown({ words, isFaulty: true, isBusy: false });
  /** The access if the server answers correctly; otherwise null, and the page shows the reason. */
  const reach = async (target: ServerTarget): Promise<ServerAccess | null> => {
    current.current?.abort();
    const abort = new AbortController();
    current.current = abort;
    const { signal } = abort;
    setShown({ words: "Asking the server …", isFaulty: false, isBusy: true });
    try {
      const access = accessOf(target);
      const found = await findModelServer(access, { signal });
      signal.throwIfAborted();
      setShown({ words: foundServerSentence(found), isFaulty: false, isBusy: false });
      return access;
    } catch (error) {
      if (!signal.aborted) fail(messageOf(error));
      return null;
    }
  };
  return {
    ...shown,
    forget: () => setShown(nothing),
    test: async (target: ServerTarget) => void (await reach(target)),
    use: async (target: ServerTarget, folder: ChosenModelFolder | null, isRemembered: boolean) => {
      const access = folder && (await reach(target));
      if (!access) return;
      const { access: before, use } = server.getState();
      use(access, isRemembered);
      if (!isSame(before, access)) forgetLoadedModel(model);
      const { choose, load } = model.getState();
      choose({ ...folder.reference, server: access.url }, folder.files);
      // Loading compares the tokenizers: a wrong folder is known now and not at the first run.
      const loaded = await load();
      const { status } = model.getState();
      if (loaded)
        setShown({
          ...nothing,
          words: `The model ${showInvisibleCharacters(loaded.id)} runs on ${showInvisibleCharacters(loaded.adapter)}.`,
        });
      else if (status.type === "failed") fail(status.message);
    },
  };
}

/** @throws Error with a sentence for an address that the page cannot ask. */
function accessOf(target: ServerTarget): ServerAccess {
  const settings = {
    ...(target.serverDraws !== true && { serverDraws: target.serverDraws }),
    ...(target.acceptRamCache && { acceptRamCache: true }),
  };
  if ("url" in target) return { url: target.url, ...settings };
  const address = parseServerAddress(target.address);
  if ("problem" in address) throw new Error(address.problem);
  return { ...address, ...settings, ...(target.key !== "" && { key: target.key }) };
}

function isSame(before: ServerAccess | null, access: ServerAccess): boolean {
  const fields = Object.keys(serverAccessKeys) as (keyof ServerAccess)[];
  return fields.every((field) => before?.[field] === access[field]);
}

export function foundServerSentence({ program, model, contextLength }: ServerFound): string {
  const context =
    contextLength === null ? "" : `, with ${contextLength.toLocaleString("en")} tokens of context`;
  return `${program} runs the model ${showInvisibleCharacters(model)}${context}.`;
}
