import { describe, expect, it } from 'vitest';
import { HTTP_FUNCTIONS, ROUTES } from '../../lib/contract/routes.ts';
import { HOUSE } from './house.ts';
import { importsOf } from './imports.ts';
import { RULES } from './nevers.ts';
import { sourceFiles } from './sources.ts';

const files = sourceFiles();
/** The rules' own texts quote what they forbid. */
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

  it('has no empty room', () => {
    const isUsed = (room: string) => files.some(({ path }) => path === room || path.startsWith(`${room}/`));
    expect(Object.keys(HOUSE).filter((room) => !isUsed(room))).toEqual([]);
  });
});

type RuleName = keyof typeof RULES;
const ROOMS: RuleName = 'a file imports only what its room may';
const CLOCK: RuleName = 'lib takes its clock as an argument';
const DEFAULT: RuleName = 'no clock is a default';

const broken: readonly [RuleName, path: string, text: string][] = [
  [ROOMS, 'lib/contract/x.ts', "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';"],
  [ROOMS, 'lib/contract/x.ts', "import { createHash } from 'node:crypto';"],
  [ROOMS, 'lib/contract/x.ts', "import type { Call } from '../service/port.ts';"],
  [ROOMS, 'lib/contract/x.ts', "import * as z from 'zod';"],
  [ROOMS, 'lib/service/x.ts', "export * from '../hosted/service.ts';"],
  [ROOMS, 'lib/storage/port.ts', "import { Problem } from '../contract/problem.ts';"],
  [ROOMS, 'lib/hosted/x.ts', "import { SqliteStorage } from '../storage/sqlite/storage.ts';"],
  [ROOMS, 'lib/hosted/x.ts', "const { dynamoDbReader } = await import('../storage/dynamodb/reader.ts');"],
  [ROOMS, 'lib/hosted/x.ts', "import type { HttpRequest } from '../doors/http/request.ts';"],
  [ROOMS, 'lib/upstream/x.ts', "import { SqliteStorage } from '../storage/sqlite/storage.ts';"],
  [ROOMS, 'lib/upstream/x.ts', "import '../hosted/service.ts';"],
  [ROOMS, 'lib/upstream/x.ts', "export { task } from '../doors/workflow/task.ts';"],
  [ROOMS, 'lib/http/x.ts', "import { hostedService } from '../hosted/service.ts';"],
  [ROOMS, 'lib/workflow/x.ts', "import { upstreamService } from '../upstream/service.ts';"],
  [ROOMS, 'lib/workflow/x.ts', "import middy from '@middy/core';"],
  [ROOMS, 'lib/credentials/x.ts', "import middy from '@middy/core';"],
  [ROOMS, 'functions/readProjects.ts', "import { handler } from './pages.ts';"],
  [ROOMS, 'functions/readProjects.ts', "import { service } from './compose/hosted.ts';"],
  [ROOMS, 'functions/tasks/x.ts', "import { handler } from '../changeProjects.ts';"],
  [ROOMS, 'functions/authorizer.ts', "import { service } from '#service';"],
  [ROOMS, 'infra/x.ts', "import { hostedService } from '../lib/hosted/service.ts';"],
  [ROOMS, 'infra/x.ts', "const bench = require('../bench/run.ts');"],
  [ROOMS, 'local/x.ts', "import { uniqueId } from '../test/support/projects.ts';"],
  [ROOMS, 'lib/webhook.ts', ''],
  ['no hidden imports in what is bundled', 'lib/hosted/x.ts', 'await import(name)'],
  ['no hidden imports in what is bundled', 'functions/readProjects.ts', 'await import(`./x.ts`)'],
  ['a function is wiring', 'functions/readProjects.ts', 'work();\n'.repeat(41)],
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

describe('the scanner', () => {
  it('finds every kind of import', () => {
    const text = `
import a from 'a';
import type { B } from '../b.ts';
import {
  c,
  type D,
} from './c.ts';
import * as e from 'e/f';
import 'g';
export * from 'h';
export * as i from 'i';
export type { J } from 'j';
const k = await import('k');
const l = require('l');
const m = process.getBuiltinModule('m');
type N = import('n').N;
// import o from 'o';
/* import p from 'p'; */
const q = "import r from 'r'";
`;
    const found = importsOf({ path: 'lib/x/y.ts', text });
    const files = ['lib/b.ts', 'lib/x/c.ts'];
    expect(found.sort()).toEqual(['a', 'e/f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', ...files].sort());
  });
});
