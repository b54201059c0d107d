import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { ROOT } from './workspace.ts';

const IMPORT = /(?:^|\n)\s*(?:import|export)\s+(?!type\s)[^;'"]*?from\s+'([^']+)'|import\('([^']+)'\)/g;

/**
 * Returns a function that finds the test files for a file: those that import it directly or through others, nearest
 * first.
 */
export function relatedTests(aliases: Readonly<Record<string, string>>): (file: string) => string[] {
  const files = execFileSync('git', ['ls-files', '*.ts'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  const importers = new Map<string, Set<string>>();
  for (const file of files) {
    for (const [, from, dynamic] of readFileSync(`${ROOT}/${file}`, 'utf8').matchAll(IMPORT)) {
      const specifier = from ?? dynamic ?? '';
      const target = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : aliases[specifier];
      if (target === undefined) continue;
      importers.set(target, (importers.get(target) ?? new Set()).add(file));
    }
  }
  return (file) => {
    const distances = new Map([[file, 0]]);
    for (const [near, distance] of distances) {
      for (const importer of importers.get(near) ?? []) {
        if (!distances.has(importer)) distances.set(importer, distance + 1);
      }
    }
    const words = file.replace(/\.ts$/, '').split('/').slice(1);
    const rank = (test: string) => {
      const named = test.replace(/\.test\.ts$/, '').split('/');
      return (distances.get(test) ?? 0) - 1.5 * words.filter((word) => named.includes(word)).length;
    };
    return [...distances.keys()]
      .filter((test) => test.endsWith('.test.ts') && !test.startsWith('test/aws/'))
      .sort((a, b) => rank(a) - rank(b));
  };
}
