import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HOUSE, HOUSE_FOLDERS, PACKAGE_TESTS } from './house.ts';
import { checkImports } from './import-rules.ts';
import { sourceFiles } from './source-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const isIn = (folder: string) => (path: string) => path === folder || path.startsWith(`${folder}/`);
const files = sourceFiles()
  .map(({ path }) => path)
  .filter((path) => !PACKAGE_TESTS.test(path));
const housed = files.filter((path) => HOUSE_FOLDERS.some((folder) => isIn(folder)(path)));

/** Imports that break a rule, by file. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'lib/contract/x.ts': [
    "import '@aws-sdk/client-dynamodb';",
    "import 'node:crypto';",
    "import type { CallContext } from '../service/port.ts';",
    "import * as z from 'zod';",
  ],
  'lib/service/x.ts': ["export * from '../hosted/service.ts';"],
  'lib/storage/port.ts': ["import { Problem } from '../service/port.ts';"],
  'lib/hosted/x.ts': [
    "import { SqliteStorage } from '../storage/sqlite/storage.ts';",
    "await import('../storage/dynamodb/reader.ts');",
    "import type { HttpRequest } from '../http/request.ts';",
    "using file = await import('../../packages/client/index.ts');",
  ],
  'lib/upstream/x.ts': ["import '../storage/sqlite/storage.ts';", "import '../hosted/service.ts';"],
  'lib/http/x.ts': ["import '../hosted/service.ts';"],
  'lib/workflow/x.ts': ["import middy from '@middy/core';"],
  'lib/credentials/x.ts': ["import middy from '@middy/core';"],
  'functions/changeProjects.ts': [
    "import { handler } from './pages.ts';",
    "import { storage } from './compose/local.ts';",
  ],
  'functions/tasks/x.ts': ["import { handler } from '../changeProjects.ts';"],
  'infra/x.ts': ["import '../lib/hosted/service.ts';"],
  'local/x.ts': ["import '../test/support/projects.ts';"],
  'packages/files/x.ts': ["import '../client/index.ts';", "import './test/x.ts';"],
};

describe('the imports of the repository', () => {
  it('go down the house only, and never in a circle', async () => {
    const checked = await checkImports(ROOT);
    expect(checked.violations).toEqual([]);
    expect(housed.filter((path) => !checked.files.includes(path))).toEqual([]);
  });

  it('are checked for every file and by no rule without a file', () => {
    const rooms = Object.keys(HOUSE);
    expect(housed.filter((path) => !rooms.some((room) => isIn(room)(path)))).toEqual([]);
    expect(rooms.filter((room) => !files.some(isIn(room)))).toEqual([]);
  });

  it('never lead from the front door to a package', () => {
    const may = Object.entries(HOUSE).flatMap(([room, { may }]) => (isIn('packages')(room) ? [] : may));
    expect(may.filter(isIn('packages'))).toEqual([]);
  });

  it('are refused if their folder may not have them', async () => {
    const texts = Object.entries(REFUSED).map(([path, lines]) => [path, lines.join('\n')] as const);
    const targets = Object.entries(REFUSED).flatMap(([path, lines]) =>
      lines.flatMap((line) => [...line.matchAll(/'(\.[^']+)'/g)].map(([, target = '']) => join(dirname(path), target))),
    );
    const present = Object.fromEntries(targets.map((file) => [file, '']));
    const { violations } = await checkImports(repository({ ...present, ...Object.fromEntries(texts) }));
    const found = Map.groupBy(violations, (violation) => violation.split(' ')[0] ?? '');
    expect([...found].map(([path, { length }]) => [path, length]).sort()).toEqual(
      Object.entries(REFUSED)
        .map(([path, { length }]) => [path, length])
        .sort(),
    );
  });

  it('are refused in a circle of types', async () => {
    const folder = repository({
      'lib/hosted/a.ts': "import type { B } from './b.ts';\nexport type A = B;",
      'lib/hosted/b.ts': "import type { A } from './a.ts';\nexport type B = A | null;",
    });
    expect((await checkImports(folder)).violations).toContain('lib/hosted/a.ts in a circle lib/hosted/b.ts');
  });
});

/** Creates a repository with these files, and with every folder of the house. */
function repository(texts: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'segue-imports-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of HOUSE_FOLDERS) mkdirSync(join(root, folder), { recursive: true });
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
