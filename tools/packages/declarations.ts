import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The declarations that each package exports, of those that the TypeScript project in its folder emits. */
const PACKAGES = {
  client: ['packages/client/index.d.ts', 'packages/client/files.d.ts'],
  cdk: ['infra/index.d.ts'],
} as const;
export type TypedPackage = keyof typeof PACKAGES;
export const TYPED_PACKAGES: readonly TypedPackage[] = ['client', 'cdk'];

/** A relative import in a declaration. */
const IMPORTED = /(?<before>from |import\()(?<quote>['"])(?<path>\.[^'"]+)\.ts\k<quote>/g;

/** Writes the declarations of a package for each kind of module: into `esm` and `cjs` in a folder. */
export function writeDeclarations(name: TypedPackage, folder: string): void {
  for (const [path, text] of declarationsOf(name)) {
    write(join(folder, 'esm', path), withImports(text, '.js'));
    write(join(folder, 'cjs', path.replace(/\.d\.ts$/, '.d.cts')), withImports(text, '.cjs'));
  }
}

/**
 * Returns the declarations that a package's exports need, directly or through others, by their paths without `lib/` and
 * `packages/`.
 */
export function declarationsOf(name: TypedPackage): Map<string, string> {
  const emitted = mkdtempSync(join(tmpdir(), 'segue-types-'));
  const found = new Map<string, string>();
  const visit = (path: string) => {
    const short = published(path);
    if (found.has(short)) return;
    const needed: string[] = [];
    found.set(short, '');
    const text = readFileSync(join(emitted, path), 'utf8').replaceAll(IMPORTED, (_, before, _quote, to) => {
      const target = join(dirname(path), to);
      needed.push(`${target}.d.ts`);
      const imported = relative(dirname(short), published(target));
      return `${before}'${imported.startsWith('.') ? '' : './'}${imported}.ts'`;
    });
    found.set(short, text);
    for (const other of needed) visit(other);
  };
  try {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', join(ROOT, 'packages', name), '--outDir', emitted], {
      stdio: 'inherit',
    });
    for (const entry of PACKAGES[name]) visit(entry);
  } finally {
    rmSync(emitted, { recursive: true });
  }
  return found;
}

function published(path: string): string {
  return path.replace(/^(?:lib|packages)\//, '');
}

/** Replaces the ending of each relative import of a declaration. */
export function withImports(text: string, ending: '.js' | '.cjs'): string {
  return text.replaceAll(IMPORTED, `$<before>'$<path>${ending}'`);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
