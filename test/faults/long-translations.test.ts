import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LIMITS } from '../../lib/contract/limits.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { send } from '../support/http.ts';
import { peakBytes } from '../support/memory.ts';
import { asObject, asObjects, smallProject } from '../support/projects.ts';

const MAX_BYTES = 512 * 1_048_576;
const PROJECTS = '/segments/projects';
const SEGMENTS = 500;

let gateway: StartedGateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(async () => {
  await gateway.stop();
});

function json(method: string, path: string, value: unknown) {
  const headers = {
    Authorization: gateway.authorization,
    'Content-Type': 'application/json',
    'Accept-Encoding': 'gzip',
  };
  return send(gateway.url, { method, path, headers, body: gzipSync(JSON.stringify(value)) });
}

const get = (path: string) =>
  send(gateway.url, {
    method: 'GET',
    path,
    headers: { Authorization: gateway.authorization, 'Accept-Encoding': 'gzip' },
  });

it('translations of a mebibyte each end neither the process nor its reads', async () => {
  const created = await json(
    'POST',
    PROJECTS,
    smallProject({
      targetLanguages: [{ targetLanguageCode: 'de' }],
      segments: Array.from({ length: SEGMENTS }, (_, n) => ({ content: `${n}`, customId: `${n}` })),
    }),
  );
  expect(created.status).toBe(201);
  const path = `${PROJECTS}/${asObject(JSON.parse(created.text))['id']}`;
  for (let n = 0; n < SEGMENTS; n += 3) {
    const entries = Array.from({ length: 3 }, (_, k) => ({
      segmentCustomId: `${Math.min(n + k, SEGMENTS - 1)}`,
      languageCode: 'de',
      content: 'x'.repeat(LIMITS.contentBytes),
      status: 'translated',
    })).slice(0, Math.min(3, SEGMENTS - n));
    const answer = await json('PATCH', `${path}/translations`, entries);
    if (answer.status !== 200) {
      console.log(n, answer.status, answer.text.slice(0, 300));
    }
    if (n % 30 === 0) {
      const t = performance.now();
      const page = await get(`${path}/segments?limit=1`);
      console.log(
        n,
        page.status,
        page.text.length,
        Math.round(performance.now() - t),
        peakBytes(gateway.process.pid) / 1e6,
      );
    }
  }
  expect(asObjects(JSON.parse((await get(`${path}/segments?limit=1`)).text))).toHaveLength(1);
  expect(peakBytes(gateway.process.pid)).toBeLessThan(MAX_BYTES);
}, 300_000);
