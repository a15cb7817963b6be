export function pageScript(file: string): string;
