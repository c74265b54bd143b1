export function testsImporting(root: string, target: string, folders?: readonly string[]): string[];
