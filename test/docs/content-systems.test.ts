import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkSample } from '../../lib/webhooks/check-sample.ts';
import { mapper } from '../../lib/webhooks/mapping/mapper.ts';
import { readSample } from '../../packages/cli/sample.ts';
import { NOW_MS } from '../lib/support.ts';
import { blocks, ROOT, read } from './world.ts';

// The tests of the whole way run the commands of both pages: test/content-systems.

const RECIPES = 'examples/content-systems';
const own = mapper();
afterAll(() => own.close());

/** Returns the commands that a recipe makes of a message. */
async function commandsOf(name: string, message: object) {
  const sample = { headers: {}, body: {}, ...message };
  return (await checkSample(read(`${RECIPES}/${name}/source.jsonata`), sample, { nowMs: NOW_MS })).commands;
}

/** Returns what an expression of a recipe makes of a completed language. */
function resultOf(name: string, file: string, input: object) {
  return own.applyToJson(read(`${RECIPES}/${name}/${file}`), JSON.stringify(input), NOW_MS);
}

describe.each(['contentful', 'strapi'])('the recipe of %s', (name) => {
  const folder = `${RECIPES}/${name}`;
  const expressions = readdirSync(join(ROOT, folder)).filter((file) => file.endsWith('.jsonata'));

  it('is on its page unchanged', () => {
    const shown = blocks(read(`docs/${name}.md`), '');
    expect(shown.sort()).toEqual(expressions.map((file) => read(`${folder}/${file}`)).sort());
  });

  it('puts the page of its sample', async () => {
    const commands = await commandsOf(name, await readSample(join(ROOT, folder, 'message.json')));
    const put = { segments: [{ customId: 'title' }, { customId: 'body' }] };
    expect(commands).toMatchObject([{ put, revision: NOW_MS }]);
  });

  it.each(['cms/7', null])('sends nothing of projects that are not its own, such as %s', async (customId) => {
    const segments = [{ customId: 'title', translation: 'Titel', changed: true }];
    const input = { project: { customId }, language: { languageCode: 'de-DE' }, segments };
    expect(await resultOf(name, 'destination.jsonata', input)).toBeUndefined();
  });
});

describe('the recipe of contentful', () => {
  const LINK = { sys: { id: 'master' } };
  const SYS = { id: 'hours', space: LINK, environment: LINK, revision: 2, updatedAt: new Date(NOW_MS).toISOString() };
  const FIELDS = { title: { 'en-US': 'Opening hours', 'de-DE': 'Zeiten' } };
  const CUSTOM_ID = 'contentful/master/master/hours';

  it.each([
    ['unpublished', { sys: { ...SYS, type: 'DeletedEntry' } }],
    ['published without texts', { sys: { ...SYS, type: 'Entry' }, fields: {} }],
  ])('deletes the project of an entry that is %s', async (_, body) => {
    const deletion = { scope: 'project', customId: CUSTOM_ID, revision: NOW_MS };
    expect(await commandsOf('contentful', { body })).toEqual([{ delete: deletion }]);
  });

  it.each(['cms/7', null])('reads no page for the project %s', async (customId) => {
    expect(await resultOf('contentful', 'fetch.jsonata', { project: { customId } })).toBeUndefined();
  });

  it('does nothing for an entry that is saved, such as by Segue', async () => {
    const body = { sys: { ...SYS, type: 'Entry', revision: undefined, version: 7 }, fields: FIELDS };
    expect(await commandsOf('contentful', { body })).toEqual([]);
  });

  it('writes only what has changed, what the entry lacks, and into fields that it has', async () => {
    const translation = (customId: string, text: string | null, changed = true) => ({
      customId,
      translation: text,
      changed,
    });
    const written = (...segments: object[]) =>
      resultOf('contentful', 'destination.jsonata', {
        project: { customId: CUSTOM_ID },
        language: { languageCode: 'de-DE' },
        segments,
        fetched: { sys: { version: 7 }, fields: FIELDS },
      });
    expect(await written(translation('title', 'Zeiten'), translation('body', 'Text', false))).toBeUndefined();
    const body = [{ op: 'add', path: '/fields/title/de-DE', value: 'Neu' }];
    expect(
      await written(translation('title', 'Neu'), translation('gone', 'Text'), translation('slug', null)),
    ).toMatchObject({ headers: { 'X-Contentful-Version': '7' }, body });
  });
});

describe('the recipe of strapi', () => {
  const BODY = {
    event: 'entry.publish',
    uid: 'api::article.article',
    createdAt: new Date(NOW_MS).toISOString(),
    entry: { documentId: 'a b', locale: 'en' },
  };

  it.each(['entry.unpublish', 'entry.delete'])('deletes the project of an article after %s', async (event) => {
    const deletion = { scope: 'project', customId: 'strapi/articles/a b', revision: NOW_MS };
    expect(await commandsOf('strapi', { body: { ...BODY, event } })).toEqual([{ delete: deletion }]);
  });

  it.each([
    ['another locale, such as that of a translation', { entry: { ...BODY.entry, locale: 'de' } }],
    ['another content type', { uid: 'api::page.page' }],
    ['another event', { event: 'entry.update' }],
  ])('fetches and does nothing for %s', async (_, fields) => {
    const message = { headers: {}, body: { ...BODY, ...fields }, fetched: { data: { title: 'Hello' } } };
    expect(await resultOf('strapi', 'fetch.jsonata', message)).toBeUndefined();
    const { fetched, ...others } = message;
    expect(await commandsOf('strapi', { ...others, fetchedJson: JSON.stringify(fetched) })).toEqual([]);
  });

  it('reads and writes the article of the message, whatever its id', async () => {
    const url = 'http://127.0.0.1:1337/api/articles/a%20b?locale=';
    expect(await resultOf('strapi', 'fetch.jsonata', { body: BODY })).toBe(`${url}en`);
    const segments = [
      { customId: 'title', translation: 'Hallo', changed: true },
      { customId: 'body', translation: 'Text', changed: false },
    ];
    const input = { project: { customId: 'strapi/articles/a b' }, language: { languageCode: 'de' }, segments };
    expect(await resultOf('strapi', 'destination.jsonata', input)).toEqual({
      method: 'PUT',
      url: `${url}de&status=draft`,
      body: { data: { title: 'Hallo' } },
    });
  });
});
