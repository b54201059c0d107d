import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { SourceFile } from './imports.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['lib', 'functions', 'local', 'infra', 'cli', 'scripts', 'bench', 'test', 'docs', 'examples'];
/** Other people's code, and what tools leave behind. */
const FOREIGN = /(?:^|\/)(?:node_modules|dist|cdk\.out)\//;

/** Every TypeScript file of the repository. */
export function sourceFiles(): SourceFile[] {
  const present = readdirSync(ROOT).filter((name) => FOLDERS.includes(name));
  return present
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.[cm]?ts$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !FOREIGN.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}
