import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import { type HostedTranslatedSegment, isHostedProject, isHostedSegment } from '../../packages/client/hosted-types.ts';
import { SegueClient } from '../../packages/client/segue-client.ts';
import type { NewTranslation } from '../../packages/client/types.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/http.ts';
import { listen } from '../support/listen.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { asObjects, realProject } from '../support/projects.ts';
import { segueHere } from '../support/segue.ts';
import { senderOf } from '../support/senders.ts';
import { addSource, printedSecret } from '../support/sources.ts';

const { APERTIUM_URL = '' } = process.env;
const SOURCE = 'cms';
const CUSTOM_ID = 'cms/1948';
const SPANISH = 'eng|spa';
const CATALAN = 'eng|cat';

/** The source's mapping, which puts a published page, and deletes the project of a page that is taken down. */
const MAPPING = `(
  $assert($type(body.page.revision) = "number", "page.revision must be a number");
  $customId := "cms/" & body.page.id;
  body.event = "published" ? {
    "put": {
      "customId": $customId,
      "name": body.page.title,
      "endDateUtc": body.page.due,
      "sourceLanguageCode": "en-GB",
      "targetLanguages": body.page.locales.{ "targetLanguageCode": $, "serviceAutomaticTranslation": true }[],
      "segments": body.page.blocks.{ "customId": key, "content": html }[]
    },
    "revision": body.page.revision
  } : { "delete": { "scope": "project", "customId": $customId, "revision": body.page.revision } }
)`;

/** The texts of Article 3 before and after its change. Each is one sentence, so the engine gets it as one text. */
const ARTICLE = 'udhr-19';
const OLD_TEXT = 'Everyone has the right to life, liberty and the security of person.';
const NEW_TEXT = 'Everyone has the right to life, freedom and a safe house.';

/** How the proofreader translates `human rights`. */
const HUMAN_RIGHTS = 'derechos de las personas';

const DECLARATION = realProject('udhr-html');
const BLOCKS = asObjects(DECLARATION['segments']).map(({ customId, content }) => ({ key: customId, html: content }));
const PAGE = { id: 1948, title: DECLARATION['name'], due: DECLARATION['endDateUtc'], blocks: BLOCKS };
/** The number of blocks before Article 3. */
const READ = BLOCKS.findIndex(({ html }) => html === '<h2>Article 3</h2>');
const CHANGED_BLOCKS = BLOCKS.map((block) =>
  block.key === ARTICLE ? { ...block, html: `<p>${NEW_TEXT}</p>` } : block,
);

/** The messages of the content system. The third version has no title, and the mapping makes no valid project of it. */
const FIRST = { event: 'published', page: { ...PAGE, revision: 1, locales: ['es-ES'] } };
const SECOND = { event: 'published', page: { ...PAGE, revision: 2, locales: ['es-ES', 'ca'], blocks: CHANGED_BLOCKS } };
const UNTITLED = { event: 'published', page: { ...SECOND.page, revision: 3, title: undefined } };
const TAKEN_DOWN = { event: 'removed', page: { id: PAGE.id, revision: 4 } };

/** Opens a proxy in front of Apertium. `takeTexts` returns the texts since its last call, by language */
async function openCountedEngine() {
  const translated: { readonly pair: string | null; readonly text: string | null }[] = [];
  const proxy = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request;
    const body = await textOf(request);
    const form = new URLSearchParams(body);
    if (path === '/translate') translated.push({ pair: form.get('langpair'), text: form.get('q') });
    const type = request.headers['content-type'] ?? 'text/plain';
    const answer = await send(APERTIUM_URL, { method, path, headers: { 'content-type': type }, body });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.bytes);
  });
  const listening = await listen(proxy);
  onTestFinished(() => listening[Symbol.asyncDispose]());
  return {
    url: `http://${listening.address}`,
    takeTexts: () => {
      const taken = translated.splice(0);
      const of = (pair: string) => taken.flatMap((each) => (each.pair === pair ? [each.text] : [])).sort();
      return { count: taken.length, spanish: of(SPANISH), catalan: of(CATALAN) };
    },
  };
}

/** Starts Segue with the engine at a URL, and adds the source of the content system. */
async function startSegue(engineUrl: string) {
  const env = { SEGUE_TRANSLATION_ENGINE: 'apertium', SEGUE_TRANSLATION_URL: engineUrl };
  const gateway = await startGateway({ env });
  onTestFinished(async () => void (await gateway.stop()));
  const { url, companyId, apiKey, dataDir } = gateway;
  const client = new SegueClient({ baseUrl: url, companyId, apiKey });
  const { settings: scheme, sign } = senderOf('standard-webhooks, v1');
  const source = { name: SOURCE, companyId, scheme, mapping: MAPPING, sample: JSON.stringify(FIRST) };
  const secret = printedSecret(await addSource(dataDir, source));

  async function segue(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await segueHere(dataDir, ...args);
    expect(code, stderr).toBe(0);
    return stdout;
  }

  return {
    client,
    segue,
    /** Sends a message as a new one, signed. @returns the id of its delivery */
    async sendMessage(message: object): Promise<string> {
      const body = JSON.stringify(message);
      const headers = sign({ body, atMs: Date.now(), id: `msg_${randomUUID()}` }, secret);
      const answer = await send(url, { method: 'POST', path: `/webhooks/${SOURCE}`, headers, body });
      expect(answer.status).toBe(202);
      return z.object({ deliveryId: z.string() }).parse(JSON.parse(answer.text)).deliveryId;
    },
    /** Waits until a delivery has ended like this. */
    async ended(deliveryId: string, report: object): Promise<void> {
      const isEnded = async () =>
        expect(JSON.parse(await segue('source', 'delivery', SOURCE, deliveryId))).toMatchObject(report);
      await vi.waitFor(isEnded, EVENTUALLY);
    },
    /** Lets the source name a page without a title after its custom id. */
    async repairMapping(): Promise<void> {
      const [mapping, sample] = [join(dataDir, 'repaired.jsonata'), join(dataDir, 'first.json')];
      writeFileSync(mapping, MAPPING.replace('body.page.title', '(body.page.title ? body.page.title : $customId)'));
      writeFileSync(sample, JSON.stringify(FIRST));
      await segue('source', 'change', SOURCE, '--mapping', mapping, '--sample', sample);
    },
    /** Waits until the engine has translated into these target languages, and there are no others. */
    async translated(...languages: readonly string[]) {
      const isTranslated = async () => {
        const found = await client.getProjectByCustomId(CUSTOM_ID);
        const states = isHostedProject(found)
          ? found.targetLanguages.map((each) => [each.targetLanguageCode, each.automaticTranslation?.state])
          : [];
        expect(states).toEqual(languages.map((language) => [language, 'done']));
        return found;
      };
      const project = await vi.waitFor(isTranslated, MUCH_WORK_MS);
      const segments = await Array.fromAsync(client.eachSegment({ customId: CUSTOM_ID }));
      return { project, segments: segments.filter(isHostedSegment) };
    },
  };
}

/** Returns the translations into one language, by the custom id of their segment. */
function translationsOf(segments: readonly HostedTranslatedSegment[], language: string) {
  return new Map(
    segments.map(({ source, translations }) => [
      source.customId ?? '',
      translations.find(({ languageCode }) => languageCode === language),
    ]),
  );
}

/** Returns the entries of a proofreader for all texts before Article 3. The proofreader has changed some of them. */
function proofread(segments: readonly HostedTranslatedSegment[]): NewTranslation[] {
  const spanish = [...translationsOf(segments, 'es-ES')];
  return spanish.slice(0, READ).map(([segmentCustomId, translation]) => ({
    segmentCustomId,
    languageCode: 'es-ES',
    content: `${translation?.content}`.replaceAll('derechos humanos', HUMAN_RIGHTS),
    status: 'proofread',
  }));
}

it(
  'a page is proofread, published again and taken down, and neither a late message nor a redriven one changes it',
  async () => {
    const engine = await openCountedEngine();
    const { client, segue, sendMessage, ended, repairMapping, translated } = await startSegue(engine.url);

    // The page is published, and the engine translates it.
    await ended(await sendMessage(FIRST), { state: 'done', result: { outcome: 'create' } });
    const published = await translated('es-ES');
    const firstTexts = engine.takeTexts();
    expect(published.segments).toHaveLength(BLOCKS.length);
    expect(firstTexts.spanish.filter((text) => text === OLD_TEXT)).toHaveLength(1);
    expect(firstTexts.count).toBe(firstTexts.spanish.length);

    // A proofreader begins. All other translations, also that of Article 3, are still those of the engine.
    const entries = proofread(published.segments);
    expect(entries.filter(({ content }) => content.includes(HUMAN_RIGHTS)).length).toBeGreaterThan(1);
    expect(await client.writeTranslationsByCustomId(CUSTOM_ID, entries)).toHaveLength(READ);
    const { segments: read } = await translated('es-ES');

    // The page is published again, with another text of Article 3, and in one more language.
    await ended(await sendMessage(SECOND), {
      state: 'done',
      result: {
        outcome: 'update',
        segments: { kept: BLOCKS.length - 1, changed: 1, added: 0, removed: 0 },
        targetLanguages: { kept: 1, added: 1, removed: 0 },
      },
    });
    const again = await translated('es-ES', 'ca');
    const secondTexts = engine.takeTexts();
    const allTexts = firstTexts.spanish.map((text) => (text === OLD_TEXT ? NEW_TEXT : text)).sort();
    expect(secondTexts).toEqual({ count: 1 + allTexts.length, spanish: [NEW_TEXT], catalan: allTexts });

    const { [ARTICLE]: changed, ...kept } = Object.fromEntries(translationsOf(again.segments, 'es-ES'));
    expect(changed).toMatchObject({ status: 'automatic', content: expect.stringMatching(/^<p>.*casa.*<\/p>$/) });
    const { [ARTICLE]: _, ...before } = Object.fromEntries(translationsOf(read, 'es-ES'));
    expect(kept).toEqual(before);
    expect(Object.values(kept).filter((each) => each?.status === 'automatic')).toHaveLength(BLOCKS.length - 1 - READ);
    const readTexts = entries.map(({ content }) => ({ content, status: 'proofread' }));
    expect(Object.values(kept).slice(0, READ)).toMatchObject(readTexts);
    const sources = read.map(({ source }) => source);
    expect(again.segments.map(({ source }) => source)).toEqual(
      sources.map((source) => (source.customId === ARTICLE ? { ...source, content: `<p>${NEW_TEXT}</p>` } : source)),
    );
    const catalan = [...translationsOf(again.segments, 'ca').values()];
    expect(new Set(catalan.map((each) => each?.status))).toEqual(new Set(['automatic']));
    expect(catalan.map((each) => each?.content).join('\n')).toContain('drets humans');

    // A late message of the first version arrives.
    await ended(await sendMessage(FIRST), { state: 'done', result: { outcome: 'outdated', revision: 2 } });
    expect(await translated('es-ES', 'ca')).toEqual(again);

    // The third version becomes a dead letter, which a redrive would put now.
    const letter = await sendMessage(UNTITLED);
    await ended(letter, { state: 'dead', problem: 'invalid-project' });
    await repairMapping();
    const dryRun = ['dead-letters', 'redrive', SOURCE, letter, '--dry-run'];
    expect(await segue(...dryRun)).toContain('updates the project');

    // The page is taken down, and the letter is redriven after that.
    await ended(await sendMessage(TAKEN_DOWN), { state: 'done', result: { scope: 'project' } });
    const isGone = { type: 'project-not-found' };
    await expect(client.getProjectByCustomId(CUSTOM_ID)).rejects.toMatchObject(isGone);
    expect(await segue(...dryRun)).toContain('changes nothing');
    await segue('dead-letters', 'redrive', SOURCE, letter);
    await ended(letter, { state: 'done', result: { outcome: 'outdated', revision: 4 } });
    await expect(client.getProjectByCustomId(CUSTOM_ID)).rejects.toMatchObject(isGone);
    expect(await Array.fromAsync(client.eachProject())).toEqual([]);
    expect(engine.takeTexts().count).toBe(0);
    const events = (await Array.fromAsync(client.events())).map(({ type }) => type);
    expect(events.filter((type) => type.startsWith('project.'))).toEqual([
      'project.created',
      'project.updated',
      'project.deleted',
    ]);
  },
  MUCH_WORK_MS,
);
