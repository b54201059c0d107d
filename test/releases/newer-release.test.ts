import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ADDED_IN_FRONT } from '../contract/api.ts';
import { contractOfStores } from '../contract/suite/index.ts';
import { ask, creationOf } from '../faults/asking.ts';
import { creation } from '../lib/webhooks/world.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { type StartOptions, startGateway } from '../support/gateway.ts';
import { smallProject } from '../support/projects.ts';
import { segueWith } from '../support/segue.ts';
import { senderOf } from '../support/senders.ts';
import { addSource } from '../support/sources.ts';
import { LOST_FIELDS } from './added-field.ts';

/** Shows this release records that a newer release wrote, as during a deployment and after a rollback. */
const NODE_OPTIONS = `--import=${join(import.meta.dirname, 'newer-release.ts')}`;

async function start(options: StartOptions = {}) {
  const gateway = await startGateway({ ...options, env: { NODE_OPTIONS, ...options.env } });
  afterAll(() => gateway.stop());
  return gateway;
}

/** Returns the kinds of records that lost the fields of the newer release when they were replaced. */
function lostIn(dataDir: string): string[] {
  const path = join(dataDir, LOST_FIELDS);
  const lost = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  return [...new Set(lost.map((sort) => sort.split('/')[0] ?? ''))];
}

// The hooks of a file run even if only some of its tests do, so all gateways start here.
const hosted = await start();
const upstream = await startGateway({ env: { SEGUE_TRANSLATION_ENGINE: 'none' } });
afterAll(() => upstream.stop());
const front = await start({ upstream, env: { SEGUE_SETTLE_SECONDS: '1' } });
const administered = await start();

describe('the hosted service', () => {
  contractOfStores({
    ...hosted,
    name: 'reads records of a newer release',
    echoesDates: true,
    writesTranslations: true,
    assignsMembers: true,
  });

  it('writes back the fields that this release does not know', () => expect(lostIn(hosted.dataDir)).toEqual([]));
});

describe('in front of an upstream service, Segue', () => {
  contractOfStores({
    ...front,
    name: 'reads records of a newer release',
    addedBytes: ADDED_IN_FRONT,
    assignsMembers: true,
  });

  it('writes back the fields that this release does not know', () => expect(lostIn(front.dataDir)).toEqual([]));
});

describe('the commands and deliveries', () => {
  const { dataDir, companyId, url } = administered;
  const segue = (...args: string[]) => segueWith({ NODE_OPTIONS, SEGUE_DATA_DIR: dataDir, SEGUE_URL: url }, ...args);
  const done = async (...args: string[]) =>
    expect(await segue(...args)).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/^segue:/m) });
  const file = (name: string, content: string): string => {
    const path = join(dataDir, name);
    writeFileSync(path, content);
    return path;
  };
  const { settings: scheme, secret } = senderOf('github');

  /** Changes a destination and its only delivery, which becomes a dead letter twice. */
  async function destinations(): Promise<void> {
    const mapping = file('requests.jsonata', '{ "method": "POST", "url": "https://other.example/" }');
    const about = ['--company', companyId, '--on', 'language.completed', '--host', 'cms.example', '--mapping', mapping];
    await done('destination', 'add', 'cms', ...about);
    const targetLanguages = [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }];
    await ask(administered, creationOf(smallProject({ targetLanguages })));
    const isDead = async () => {
      const letters = () => segue('--json', 'destination', 'dead-letters', 'cms');
      await expect.poll(async () => (await letters()).stdout, EVENTUALLY).toContain('host-refused');
    };
    await isDead();
    await done('destination', 'redrive', 'cms', '--all');
    await isDead();
    await done('destination', 'change', 'cms', '--on', 'project.created', '--mapping', mapping);
    await done('destination', 'remove', 'cms');
  }

  it('work with records of a newer release, and write back its fields', async () => {
    const sample = JSON.stringify({ headers: {}, body: creation() });
    await addSource(dataDir, { name: 'cms', companyId, scheme, secret, mapping: 'body', sample });
    const good = file('good.json', sample);
    const bad = file('bad.json', JSON.stringify({ headers: {}, body: { ...creation(), create: { name: '' } } }));
    await done('source', 'send', 'cms', '--sample', good);
    const sent = await segue('source', 'send', 'cms', '--sample', bad);
    expect(sent.code).toBe(1);
    const id = /^Delivery: (\S+)$/m.exec(sent.stdout)?.[1] ?? '';
    await done('dead-letters', 'redrive', 'cms', id);
    await expect
      .poll(async () => (await segue('source', 'delivery', 'cms', id)).stdout, EVENTUALLY)
      .toContain('"state": "dead"');
    await done('dead-letters', 'drop', 'cms', id);
    await done('source', 'change', 'cms', '--mapping', file('new.jsonata', 'body'), '--sample', good);
    await done('source', 'rotate', 'cms');
    await destinations();
    await done('company', 'add', 'acme');
    await done('company', 'rotate', 'acme');
    await done('company', 'suspend', 'acme');
    await done('company', 'resume', 'acme');
    expect(lostIn(dataDir)).toEqual([]);
  });
});
