import { describe, expect, it } from 'vitest';
import { HTTP_FUNCTIONS } from '../../lib/contract/routes.ts';
import { ROUTES } from '../../lib/operations/routes.ts';
import { RULES } from './nevers.ts';
import { sourceFiles } from './source-files.ts';

const files = sourceFiles();
/** All files except those that quote what the rules forbid. */
const judged = files.filter(({ path }) => !path.startsWith('test/architecture/'));

describe('the house', () => {
  it.each(Object.entries(RULES))('%s', (_, rule) => {
    expect(judged.flatMap(rule)).toEqual([]);
  });

  it('has a file for each function that a route names, and a route for each HTTP function', () => {
    const isFile = (name: string) => files.some(({ path }) => path === `functions/${name}.ts`);
    expect(HTTP_FUNCTIONS.filter((name) => !isFile(name))).toEqual([]);
    expect(new Set(ROUTES.map((route) => route.function))).toEqual(new Set(HTTP_FUNCTIONS));
  });
});

type RuleName = keyof typeof RULES;
const CLOCK: RuleName = 'lib takes its clock as an argument';
const DEFAULT: RuleName = 'no clock is a default';

const broken: readonly [RuleName, path: string, text: string][] = [
  ['no hidden imports in what is bundled', 'lib/hosted/x.ts', 'await import(name)'],
  ['no hidden imports in what is bundled', 'functions/readProjects.ts', 'await import(`./x.ts`)'],
  ['a function is wiring', 'functions/readProjects.ts', 'work();\n'.repeat(41)],
  [
    'the console speaks to Segue through its client alone',
    'packages/console/x.tsx',
    "import { ROUTES } from '../lib/operations/routes.ts';",
  ],
  ['the console shows content as text', 'packages/console/x.tsx', '<p dangerouslySetInnerHTML={{ __html: text }} />'],
  ['an operation alone knows its path', 'lib/http/x.ts', "const path = '/segments/projects';"],
  ['an operation alone knows its path', 'packages/cli/x.ts', "const path = '/operations/{operationId}';"],
  ['zod is imported as a namespace', 'test/x.ts', "import { z } from 'zod';"],
  ['zod is imported as a namespace', 'lib/contract/x.ts', "import { type ZodType, z } from 'zod/mini';"],
  ['nothing of undici on the way of a request', 'lib/upstream/x.ts', 'await fetch(url)'],
  ['nothing of undici on the way of a request', 'lib/http/x.ts', 'new Headers(headers)'],
  ['nothing of undici on the way of a request', 'functions/readProjects.ts', "import { Agent } from 'undici';"],
  [CLOCK, 'lib/service/x.ts', 'const nowMs = Date.now();'],
  [CLOCK, 'lib/credentials/x.ts', 'agent({ now: Date.now });'],
  [CLOCK, 'lib/service/x.ts', 'const utc = new Date().toISOString();'],
  [CLOCK, 'lib/service/x.ts', 'const utc = new Date;'],
  [CLOCK, 'lib/service/x.ts', 'const text = Date();'],
  [
    'a test starts processes with its own clock',
    'test/x.ts',
    "spawn(node, [], { env: { PATH: process.env['PATH'] } });",
  ],
  [DEFAULT, 'test/support/x.ts', 'function open(now: () => number = Date.now) {}'],
  [DEFAULT, 'local/x.ts', 'const { rate, now = Date.now } = options;'],
  [DEFAULT, 'local/x.ts', 'const now = options.now ?? Date.now;'],
  [DEFAULT, 'test/x.ts', 'function answered(id: number, nowMs = Date.now()) {}'],
];

describe('a rule', () => {
  it.each(broken)('%s: is broken by %s with %j', (name, path, text) => {
    expect(RULES[name]({ path, text })).toHaveLength(1);
  });

  it.each<[RuleName, path: string, text: string]>([
    [CLOCK, 'lib/service/x.ts', 'const utc = new Date(nowMs).toISOString();'],
    [CLOCK, 'lib/service/x.ts', '/** Milliseconds since 1970, as `Date.now` has them. */'],
    [CLOCK, 'functions/readProjects.ts', 'createProject(service, { now: Date.now });'],
    [DEFAULT, 'test/x.ts', 'const now = Date.now;'],
    [DEFAULT, 'test/x.ts', 'const now = () => Date.now() - 1;'],
  ])('%s: is kept by %s with %j', (name, path, text) => {
    expect(RULES[name]({ path, text })).toEqual([]);
  });

  it('is shown to be breakable, each', () => {
    expect(new Set(broken.map(([name]) => name))).toEqual(new Set(Object.keys(RULES)));
  });
});
