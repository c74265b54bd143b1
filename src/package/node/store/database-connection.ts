/** Connections to a database: how long to wait for it, which packages users install, and notices when it goes away. */
import { hostInMessages, redactInvalidAddress } from "../../../core/base/invalid-address.ts";

/** The most milliseconds to wait for a connection. */
export const connectTimeoutMs = 5_000;

/** Reports once that a database cannot be reached, and once that it answers again. */
export class ConnectionNotices {
  readonly #name: string;
  readonly #onNotice: (notice: string) => void;
  #isAway = false;

  constructor(name: string, onNotice: (notice: string) => void) {
    this.#name = name;
    this.#onNotice = onNotice;
  }

  broke(error: unknown): void {
    if (!this.#isAway) this.#onNotice(`The store (${this.#name}) cannot be reached: ${reasonOf(error)}`);
    this.#isAway = true;
  }

  works(): void {
    if (this.#isAway) this.#onNotice(`The store (${this.#name}) answers again.`);
    this.#isAway = false;
  }
}

/** Node's error for several addresses has an empty message. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as { readonly message?: string; readonly code?: string };
  return (message || code || String(error)).replace(/\.$/, "");
}

/**
 * The address without user, password and parameters, which may have secrets.
 * @throws Error if a password with "/", "?" or "#" makes its beginning the host
 */
export function databaseAddressWithoutSecrets(address: string): string {
  const { protocol, host, pathname } = URL.canParse(address) ? new URL(address) : { host: null };
  if (hostInMessages(address) !== host)
    throw new Error(
      `The store's address ${redactInvalidAddress(address)} is not a valid address. In its password, write / as %2F, ? as %3F, # as %23 and @ as %40.`,
    );
  return `${protocol}//${host}${pathname}`;
}

/**
 * Imports optional peer dependencies, because most programs use no database.
 * @param versions the packages as arguments of `npm install`
 * @throws Error that says what to install
 */
export async function importOptionalPackages<Packages>(
  database: string,
  versions: string,
  load: () => Promise<Packages>,
): Promise<Packages> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new Error(
      `A store in ${database} needs packages that are not installed: run \`npm install ${versions}\` where midtoken is installed, then start again.`,
      { cause },
    );
  }
}
