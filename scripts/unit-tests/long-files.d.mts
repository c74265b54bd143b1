export declare const longFiles: Readonly<Record<string, readonly string[]>>;
export declare const longWithModels: readonly string[];
