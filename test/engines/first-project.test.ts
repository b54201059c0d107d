import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import { blocks, read, sh } from '../docs/world.ts';
import { startGateway } from '../support/gateway.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';

const FIRST_PROJECT = read('docs/first-project.md');
const { APERTIUM_URL = '' } = process.env;

/** The settings before `npm start` in a script, with the server of Apertium that is running. */
function settingsIn(script: string): Record<string, string> {
  const [, line = ''] = /^(SEGUE_.*) npm start$/m.exec(script) ?? [];
  const settings = line.split(' ').map((setting) => setting.split('='));
  return { ...Object.fromEntries(settings), SEGUE_TRANSLATION_URL: APERTIUM_URL };
}

it('the first request of docs/first-project.md gets real Spanish with the settings of docs/translation.md', async () => {
  const [start = ''] = blocks(read('docs/translation.md'), 'sh');
  const settings = settingsIn(start);
  expect(settings['SEGUE_TRANSLATION_ENGINE']).toBe('apertium');
  const gateway = await startGateway({ env: settings });
  onTestFinished(async () => void (await gateway.stop()));
  const variables = {
    SEGUE_URL: gateway.url,
    SEGUE_COMPANY_ID: gateway.companyId,
    SEGUE_API_KEY: gateway.apiKey,
  };
  const [, request = ''] = /^(curl [\s\S]*?^EOF\n)/m.exec(blocks(FIRST_PROJECT, 'text')[0] ?? '') ?? [];
  const { id } = z.object({ id: z.int() }).parse(JSON.parse(await sh(request.replace('de-DE', 'es-ES'), variables)));
  const [, reads = ''] = blocks(FIRST_PROJECT, 'sh');
  const [setId = '', readProgress = '', readSegments = ''] = reads
    .replace(/^PROJECT_ID=<id>$/m, `PROJECT_ID=${id}`)
    .split(/(?<=\n)(?=curl )/);
  const wasRead = async () =>
    expect(JSON.parse(await sh(setId + readProgress, variables))).toMatchObject({ total: 100 });
  await vi.waitFor(wasRead, MUCH_WORK_MS);
  expect(JSON.parse(await sh(setId + readSegments, variables))).toMatchObject([
    { translations: [{ languageCode: 'es-ES', content: '<p>Hola, mundo</p>', status: 'automatic' }] },
  ]);
});
