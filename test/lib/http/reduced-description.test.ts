import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import openApi from '../../../lib/contract/openapi.json' with { type: 'json' };
import { SWITCHES } from '../../../lib/contract/switches.ts';
import { withoutParts } from '../../../lib/http/reduced-description.ts';
import { getDescription } from '../../../lib/operations/get-description.ts';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { NOW_MS } from '../support.ts';
import { contextOf, eventOf, keptLog, readAnswer } from './fixture.ts';

const ADDED = { webhooks: /receives no messages at `\/webhooks\/\{source\}`/, events: /there is no `\/events`/ };

/** Returns the tags of the operations that a description has. */
function usedTags(paths: object): Set<string> {
  return new Set(
    Object.values(paths).flatMap((item) => Object.values(Object(item)).flatMap((each) => Object(each).tags)),
  );
}

describe('the description of a deployment', () => {
  it('is complete if nothing is off, and shows no manifests in any case', () => {
    expect(withoutParts(openApi, ROUTES, [])).toEqual(openApi);
    expect(withoutParts(openApi, ROUTES, ['bulk'])).toEqual(openApi);
  });

  it.each([
    ['webhooks', 'receiveWebhook', true],
    ['events', 'events', false],
  ] as const)('leaves out %s, and says so', (part, name, sends) => {
    const reduced = withoutParts(openApi, ROUTES, [part]);
    const paths = ROUTES.filter((route) => route.function !== name).map(({ path }) => path);
    expect(Object.keys(reduced.paths).sort()).toEqual([...new Set(paths)].sort());
    expect(reduced.info.description).toContain(openApi.info.description);
    expect(reduced.info.description.slice(openApi.info.description.length)).toMatch(ADDED[part]);
    expect('webhooks' in reduced).toBe(sends);
  });

  it('has a tag for each of its operations, and no other', () => {
    const { tags, paths } = withoutParts(openApi, ROUTES, SWITCHES);
    expect(new Set(tags.map(({ name }) => name))).toEqual(usedTags(paths));
  });

  it('is what the API serves', async () => {
    const { options } = keptLog();
    const serve = getDescription(ROUTES, { ...options, switchedOff: ['webhooks', 'events'] });
    const { text } = readAnswer(await serve(eventOf('getDescription', { authorizer: null }), contextOf()));
    const { paths, openapi } = JSON.parse(text);
    const now = utc(NOW_MS).slice(0, 19);
    expect(new Set(text.match(/"(?:startDateUtc|creationDateUtc)":"[^"]*/g))).toEqual(
      new Set([`"startDateUtc":"${now}Z`, `"creationDateUtc":"${now}.972Z`]),
    );
    expect(openapi).toBe(openApi.openapi);
    expect(Object.keys(paths)).toContain('/segments/projects');
    expect(Object.keys(paths).filter((path) => /^\/(events|webhooks)/.test(path))).toEqual([]);
  });
});
