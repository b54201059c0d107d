import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operationRequest } from '../../../lib/agents/tool-request.ts';
import { type Tool, toolsOf } from '../../../lib/agents/tools.ts';
import { hasTool } from '../../../lib/contract/agents.ts';
import { utc } from '../../../lib/contract/date.ts';
import openApi from '../../../lib/contract/openapi.json' with { type: 'json' };
import { fieldsOf } from '../../../lib/contract/pointer.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { NOW_MS } from '../support.ts';

const { tools, version } = toolsOf(openApi, ROUTES.filter(hasTool));
const PROJECT = { startDateUtc: '2026-11-20T09:30:00Z', name: 'A project' };

function toolOf(name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new RangeError(`There is no tool ${name}`);
  return tool;
}

/** Returns the faults of a call. */
function faultsIn(name: string, args: Record<string, unknown>) {
  try {
    operationRequest(toolOf(name), args, NOW_MS);
  } catch (error) {
    if (error instanceof Problem) return error.occurrence.errors ?? [];
    throw error;
  }
  return [];
}

/** Returns the faults of a call: pointer and code. */
const faultsOf = (name: string, args: Record<string, unknown>) =>
  faultsIn(name, args).map(({ pointer, code }) => [pointer, code]);

/** Yields every object in a value. */
function* objectsIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  const fields = fieldsOf(value);
  if (!fields) return;
  yield fields;
  for (const each of Object.values(fields)) yield* objectsIn(each);
}

describe('the tools', () => {
  it('are the operations on projects, translations and languages, one for both ways to name a project', () => {
    expect(version).toBe(openApi.info.version);
    expect(tools.map(({ name }) => name)).toEqual([
      'createProject',
      'listProjects',
      'getProject',
      'putProject',
      'deleteProject',
      'getSegments',
      'getProgress',
      'planDeletion',
      'writeTranslations',
      'changeLanguage',
      'getOperation',
      'getDailyLimits',
      'listLanguages',
      'getProblemType',
    ]);
    expect(toolOf('getProject').routes.map(({ id }) => id)).toEqual(['getProject', 'getProjectByCustomId']);
  });

  it('follow the description: an operation that is added to it has a tool', () => {
    const path = '/segments/projects/{id}/summary';
    const added = { ...openApi.paths['/segments/projects/{id}/progress'].get, operationId: 'getSummary' };
    const description = { ...openApi, paths: { ...openApi.paths, [path]: { get: added } } };
    const route = { id: 'getSummary', method: 'GET', path, scope: 'read', body: 'none' } as const;
    const [tool] = toolsOf(description, [route]).tools;
    expect(tool?.inputSchema).toMatchObject({ required: ['id'], properties: { id: {}, taskId: {} } });
    expect(() => toolsOf(openApi, [route])).toThrow(/no operation getSummary/);
  });

  it('have schemas without references, headers and alternatives at the top', () => {
    for (const { name, inputSchema } of tools) {
      const all = [...objectsIn(inputSchema)];
      expect(
        all.filter((each) => '$ref' in each),
        name,
      ).toEqual([]);
      expect(Object.keys(inputSchema).sort()).toEqual(['additionalProperties', 'properties', 'required', 'type']);
      expect(Object.keys(inputSchema.properties).join()).not.toMatch(/Prefer|If-Match|Idempotency-Key/);
    }
    expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema)).length).toBeLessThan(60_000);
  });

  it('say which arguments they need', () => {
    const required = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema.required]));
    expect(required).toMatchObject({
      createProject: ['project'],
      getProject: [],
      putProject: ['project'],
      deleteProject: ['plan'],
      writeTranslations: ['translations'],
      changeLanguage: ['languageCode', 'change'],
      getOperation: ['operationId'],
      getProblemType: ['type'],
    });
  });

  it('have texts that name no header', () => {
    for (const { name, description, inputSchema } of tools) {
      const texts = [description, ...Object.values(inputSchema.properties).map((each) => JSON.stringify(each))];
      expect(texts.join('\n'), name).not.toMatch(/If-Match|Idempotency-Key|`Link`|`Prefer|percent-encoded|%2B/);
    }
  });
});

/** Any arguments: of the tool's names and of others, with any JSON as value. */
const argumentsOf = ({ places }: Tool) =>
  fc.dictionary(
    fc.oneof(fc.constantFrom(...places.keys(), '__proto__', 'constructor'), fc.string()),
    fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue(), fc.nat(), fc.constantFrom('', '..', 'a/b', 'p"\r\nX: y')),
  );

it.each(tools)('any call of $name becomes a request to its own route, or a problem', (tool) => {
  const forms = tool.routes.map(
    ({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '(?!\\.{1,2}(?:/|$))[^/?#]+')}$`),
  );
  fc.assert(
    fc.property(argumentsOf(tool), (args) => {
      try {
        const { path, route, headers } = operationRequest(tool, args, NOW_MS);
        expect(forms[tool.routes.indexOf(route)]?.test(path), path).toBe(true);
        expect(Object.values(headers).join('')).toMatch(/^[\x20-\x7e]*$/);
        if (route.method === 'DELETE') expect(headers).toHaveProperty('If-Match');
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
      }
    }),
  );
});

it.each([
  ['planDeletion', { id: 7, taskId: Number('100000000000000000001') }, 'taskId'],
  ['planDeletion', { id: 7, taskId: 1 }, 'taskId'],
  ['getProject', { customId: Number('12345678901234567890') }, 'customId'],
  ['getProject', { id: 1e300 }, 'id'],
  ['createProject', { project: {}, idempotencyKey: Number('1764283404123456789') }, 'idempotencyKey'],
])('a number in place of a text is refused, because it may be another one: %s %j', (name, args, argument) => {
  try {
    operationRequest(toolOf(name), args, NOW_MS);
    expect.unreachable();
  } catch (error) {
    const faults = error instanceof Problem ? error.occurrence.errors : [];
    expect(faults).toMatchObject([{ pointer: `/arguments/${argument}`, code: 'wrong-type' }]);
  }
});

describe('a call becomes a request', () => {
  it('with the current time as the start of a project, unless it has one', () => {
    const startOf = (project: unknown) => {
      const { body = '' } = operationRequest(toolOf('createProject'), { project, validateOnly: true }, NOW_MS);
      return JSON.parse(body).startDateUtc;
    };
    expect(startOf({ name: 'A project' })).toBe(utc(NOW_MS));
    expect(startOf(PROJECT)).toBe(PROJECT.startDateUtc);
    const project = toolOf('createProject').inputSchema.properties['project'];
    expect(project).toMatchObject({ required: expect.not.arrayContaining(['startDateUtc']) });
  });

  it.each([
    ['listProjects', {}, { path: '/segments/projects', query: { limit: '100' } }],
    ['listProjects', { limit: 5, done: false }, { path: '/segments/projects', query: { limit: '5', done: 'false' } }],
    ['getProject', { id: 7 }, { path: '/segments/projects/7' }],
    ['getProject', { customId: 'a/b ü' }, { path: '/segments/projects/custom/a%2Fb%20%C3%BC' }],
    ['getSegments', { id: '7', languageCode: 'de' }, { query: { languageCode: 'de', limit: '100' } }],
    ['deleteProject', { id: 7, plan: 'a-token_1' }, { headers: { 'If-Match': '"a-token_1"' }, query: {} }],
    [
      'createProject',
      { project: PROJECT, idempotencyKey: 'key-1' },
      { headers: { 'Idempotency-Key': 'key-1' }, body: JSON.stringify(PROJECT) },
    ],
    ['createProject', { project: PROJECT, validateOnly: true }, { headers: {}, query: { validateOnly: 'true' } }],
    [
      'putProject',
      { customId: 'a', project: PROJECT, idempotencyKey: 'key-1', plan: 'p' },
      {
        path: '/segments/projects/custom/a',
        headers: { Prefer: 'return=minimal, handling=strict', 'If-Match': '"p"', 'Idempotency-Key': 'key-1' },
      },
    ],
    ['getProblemType', { type: 'plan-outdated' }, { path: '/problems/plan-outdated' }],
    ['getProblemType', { type: 'https://example.com/v1/problems/plan-outdated' }, { path: '/problems/plan-outdated' }],
    ['changeLanguage', { id: 7, languageCode: 'de-DE', change: {} }, { path: '/segments/projects/7/languages/de-DE' }],
  ])('of %s with %j', (name, args, request) => {
    expect(operationRequest(toolOf(name), args, NOW_MS)).toMatchObject(request);
  });

  it.each([
    ['deleteProject', { id: 7 }, [['/arguments/plan', 'required']]],
    ['deleteProject', { id: 7, plan: null }, [['/arguments/plan', 'wrong-type']]],
    [
      'putProject',
      { id: 7, taskId: null, project: PROJECT, validateOnly: true },
      [['/arguments/taskId', 'wrong-type']],
    ],
    ['deleteProject', { id: 7, plan: '"p"' }, [['/arguments/plan', 'invalid-parameter']]],
    ['deleteProject', { id: 7, plan: 'p\r\nX: y' }, [['/arguments/plan', 'invalid-parameter']]],
    ['deleteProject', { plan: 'p' }, [['/arguments/id', 'required']]],
    ['getProject', { id: 7, customId: 'a' }, [['/arguments/customId', 'exclusive-field']]],
    ['getProject', { customId: '..' }, [['/arguments/customId', 'invalid-parameter']]],
    ['getProject', { customId: '' }, [['/arguments/customId', 'invalid-parameter']]],
    ['getProject', { customId: '\ud800' }, [['/arguments/customId', 'ill-formed-unicode']]],
    ['getProject', { id: [7] }, [['/arguments/id', 'wrong-type']]],
    ['getProject', { id: 7, project_id: 7 }, [['/arguments/project_id', 'unknown-parameter']]],
    ['createProject', { project: PROJECT }, [['/arguments/idempotencyKey', 'required']]],
    ['putProject', { id: 7, project: PROJECT, validateOnly: false }, [['/arguments/idempotencyKey', 'required']]],
    [
      'createProject',
      { Prefer: 'x' },
      [
        ['/arguments/Prefer', 'unknown-parameter'],
        ['/arguments/project', 'required'],
        ['/arguments/idempotencyKey', 'required'],
      ],
    ],
    [
      'createProject',
      { project: PROJECT, idempotencyKey: 'two words' },
      [['/arguments/idempotencyKey', 'invalid-parameter']],
    ],
    [
      'createProject',
      { project: PROJECT, idempotencyKey: 'a"b' },
      [['/arguments/idempotencyKey', 'invalid-parameter']],
    ],
    ['createProject', { project: [], validateOnly: true }, [['/arguments/project', 'wrong-type']]],
    ['changeLanguage', { id: 7, languageCode: 'de', change: '{}' }, [['/arguments/change', 'wrong-type']]],
    ['deleteProject', { id: 7, plan: '' }, [['/arguments/plan', 'invalid-parameter']]],
  ])('unless its arguments are wrong: %s with %j', (name, args, faults) => {
    expect(faultsOf(name, args)).toEqual(faults);
  });

  it.each([
    ['createProject', { project: '{"name":"A"}', validateOnly: true }, 'project must be an object: you sent a text.'],
    ['writeTranslations', { id: 7, translations: {} }, 'translations must be a list: you sent an object.'],
    ['createProject', { name: 'A', validateOnly: true, project: {} }, 'Put it into project.'],
    ['createProject', { project: {} }, 'Required, unless `validateOnly` is true.'],
    ['deleteProject', { id: 7, plan: null }, 'an answer of planDeletion about the same project'],
    ['deleteProject', { id: 7, plan: '' }, 'an answer of planDeletion about the same project'],
    ['putProject', { id: 7, plan: '"p"', project: {}, validateOnly: true }, 'this tool with `validateOnly`, unchanged'],
  ])('and its fault says what would be right: %s with %j', (name, args, text) => {
    expect(faultsIn(name, args).map(({ detail }) => detail)).toEqual([expect.stringContaining(text)]);
  });
});
