import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import openApi from '../../../lib/contract/openapi.json' with { type: 'json' };
import { getDescription } from '../../../lib/http/operations/get-description.ts';
import { getReference } from '../../../lib/http/operations/get-reference.ts';
import { Reference, referenceHtml } from '../../../lib/http/reference-page.ts';
import { contextOf, eventOf, keptLog, readAnswer } from './fixture.ts';

const { options } = keptLog();
const BASE = 'https://api.example.com/v1';
const reference = Reference.parse(openApi);
const page = referenceHtml(reference, BASE);
const TAG = /<[^>]*>/g;

describe('the description of the API', () => {
  it('says where it is, and is otherwise what is in the repository', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const answer = await getDescription(options)(eventOf('getDescription', { authorizer: null, headers }), contextOf());
    const { status, json, headers: told } = readAnswer(answer);
    expect([status, json]).toEqual([200, { ...openApi, servers: [{ url: BASE }] }]);
    expect(told).toMatchObject({ 'Content-Encoding': 'gzip', 'Cache-Control': 'public, max-age=3600' });
  });
});

describe('the reference page', () => {
  it('is HTML that may be kept, and has nothing but its own style', async () => {
    const answer = await getReference(options)(eventOf('getReference', { authorizer: null }), contextOf());
    const { status, text, headers } = readAnswer(answer);
    expect([status, text]).toEqual([200, page]);
    expect(headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'public, max-age=3600',
      'Content-Security-Policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-[\w+/]+='; /),
    });
  });

  it('opens and closes each element in order', () => {
    const open: string[] = [];
    for (const [, end, name = ''] of page.matchAll(/<(\/?)(\w+)[^>]*>/g)) {
      if (end === '/') expect(open.pop()).toBe(name);
      else if (name !== 'meta') open.push(name);
    }
    expect(open).toEqual([]);
  });

  it('leads by every link to a place of its own, to a problem’s page or to the description', () => {
    const ids = Array.from(page.matchAll(/ id="([^"]+)"/g), ([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = Array.from(page.matchAll(/ href="([^"]+)"/g), ([, href = '']) => href);
    expect(links.length).toBeGreaterThan(100);
    for (const href of links) {
      if (href.startsWith('#')) expect(ids).toContain(href.slice(1));
      else expect(href).toMatch(/^https:\/\/api\.example\.com\/v1\/(?:problems\/[a-z-]+|openapi\.json)$/);
    }
  });

  describe('marks what may be left out, and nothing else:', () => {
    /** The names that stand below a heading, and whether they are marked. */
    const shown = (id: string) => {
      const [, section = ''] = page.split(` id="${id}">`);
      const terms = section.replace(/<h[23].*/s, '').matchAll(/<dt><code>([^<]+)<\/code>, .*?(, optional)?<\/dt>/g);
      return Array.from(terms, ([, name, mark]) => [name, mark === undefined ? 'required' : 'optional']);
    };
    const need = (isRequired = false) => (isRequired ? 'required' : 'optional');
    const operations = Object.values(reference.paths).flatMap((methods) => Object.values(methods));
    const schemas = Object.entries(reference.components.schemas);

    it.each(operations.map(({ operationId, parameters = [] }) => [operationId, parameters] as const))(
      'parameters of %s',
      (operationId, parameters) => {
        expect(shown(operationId)).toEqual(parameters.map(({ name, required }) => [name, need(required)]));
      },
    );

    it.each(schemas)('fields of %s', (name, { properties = {}, required }) => {
      const fields = Object.keys(properties).map((field) => [field, need(required?.includes(field))]);
      expect(shown(name)).toEqual(fields);
    });

    it('both kinds are there', () => {
      const [id, taskId] = shown('deleteProject');
      expect([id, taskId]).toEqual([
        ['id', 'required'],
        ['taskId', 'optional'],
      ]);
      expect(shown('ProjectRequest')).toEqual(
        expect.arrayContaining([
          ['name', 'required'],
          ['customId', 'optional'],
        ]),
      );
    });
  });

  it('keeps its structure, whatever stands in a text', () => {
    const [name = '', schema = {}] = Object.entries(reference.components.schemas)[0] ?? [];
    const withText = (description: string) => {
      const properties = { field: { type: 'string', description } };
      const components = { schemas: { [name]: { ...schema, properties } } };
      return referenceHtml({ ...reference, info: { ...reference.info, description }, components }, BASE);
    };
    const structure = (html: string) => (html.match(TAG) ?? []).filter((tag) => !/^<\/?code>$/.test(tag));
    const usual = structure(withText(''));
    const parts = fc.constantFrom('<', '>', '&', '"', '`', '<script>', '</main>', '<!--', '$1', '$&', ' ', 'x');
    fc.assert(
      fc.property(fc.array(parts), (texts) => {
        expect(structure(withText(texts.join('')))).toEqual(usual);
      }),
      { numRuns: 50 },
    );
  });
});
