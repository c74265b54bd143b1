export declare const root: string;
export declare function runOrExit(
  command: string,
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
): void;
export declare function runUntilStopped(command: string, args: readonly string[]): void;
export declare function installIfNeeded(): void;
export declare function isInstalled(folder: string): boolean;
export declare function bin(name: string): string;
