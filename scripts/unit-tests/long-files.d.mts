export declare const longFiles: Readonly<Record<string, readonly string[]>>;
