import { expect, it } from 'vitest';
import { ROUTES } from '../../lib/contract/routes.ts';
import { createMatcher } from '../../local/match.ts';

const match = createMatcher(ROUTES);

const known = [
  ['/health', '/health', []],
  ['/segments/projects', '/segments/projects', []],
  ['/segments/projects/42', '/segments/projects/{id}', [['id', '42']]],
  ['/segments/projects/a%2Fb', '/segments/projects/{id}', [['id', 'a%2Fb']]],
  ['/segments/projects/custom', '/segments/projects/{id}', [['id', 'custom']]],
  ['/segments/projects/custom/x', '/segments/projects/custom/{customId}', [['customId', 'x']]],
  ['/segments/projects/custom/custom', '/segments/projects/custom/{customId}', [['customId', 'custom']]],
  ['/segments/projects/', '/segments/projects', []],
  ['/segments/projects/42/', '/segments/projects/{id}', [['id', '42']]],
] as const;

it.each(known)('%s leads to %s', (path, resource, parameters) => {
  const found = match(path);
  expect(found?.resource.path).toBe(resource);
  expect(found?.parameters).toEqual(parameters);
});

const unknown = [
  '',
  '*',
  '/',
  '//',
  'health',
  '/Health',
  '/health/x',
  '//health',
  '/segments',
  '/segments//projects',
  '/segments/projects//',
  '/segments/projects/1/2',
  '/segments/projects/custom/a/b',
  '/segments/projec%74s',
  '/__proto__',
];

it.each(unknown)('"%s" leads nowhere', (path) => {
  expect(match(path)).toBeUndefined();
});

it('lists the methods of a resource for Allow', () => {
  expect(match('/segments/projects')?.resource.allow).toEqual(['POST', 'GET', 'HEAD']);
  expect(match('/segments/projects/1')?.resource.allow).toEqual(['GET', 'HEAD', 'DELETE']);
});
