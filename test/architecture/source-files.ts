import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** A source file: its path from the repository's root, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const COMPUTED = /\bimport\(\s*(?!['"])/;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['lib', 'functions', 'local', 'infra', 'packages', 'tools', 'bench', 'test', 'docs', 'examples'];
/** The folders of dependencies, and of the output of tools. */
const FOREIGN = /(?:^|\/)(?:node_modules|dist|cdk\.out)\//;

/** Returns every TypeScript file of the repository. */
export function sourceFiles(): SourceFile[] {
  const present = readdirSync(ROOT).filter((name) => FOLDERS.includes(name));
  return present
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(?:[cm]?ts|tsx)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !FOREIGN.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** Returns the text of a file without its comments. */
export function codeOf({ text }: SourceFile): string {
  return text.replace(COMMENT, '');
}

/** Whether a file imports a computed name. */
export function importsComputedName(file: SourceFile): boolean {
  return COMPUTED.test(codeOf(file));
}
