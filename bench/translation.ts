import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { checkProject } from '../lib/contract/check-project.ts';
import { LIMITS } from '../lib/contract/limits.ts';
import { hostedService } from '../lib/hosted/service.ts';
import { pseudoEngine } from '../lib/hosted/translation/engines/pseudo.ts';
import { threadedReader } from '../lib/hosted/translation/threaded-reader.ts';
import { translateSegments } from '../lib/hosted/translation/translate-segments.ts';
import { chunkPrefix } from '../lib/hosted/work/chunk-item.ts';
import { jobWorker } from '../lib/hosted/work/job-worker.ts';
import { companyPartition } from '../lib/records/keys.ts';
import { type Deadline, deadlineAt } from '../lib/service/deadline.ts';
import { encodeText } from '../lib/service/encoded-text.ts';
import type { TranslationBatch, TranslationEngine } from '../lib/service/translation-engine.ts';
import { eachItem } from '../lib/storage/port.ts';
import { plainBytes } from './support/answers.ts';
import { cldrAutomatic } from './support/bodies.ts';
import { interleave, timed } from './support/statistics.ts';
import { type OpenStore, openStore } from './support/store.ts';
import type { Row } from './support/table.ts';

const TARGET = { atMost: 2.5 };
const ROUNDS = { rounds: 11, warmUp: 3 };
const COMPANY = 'bench';

/** As on one machine, every run shares a thread for contents that are not plain. */
const reader = threadedReader();

/** The least work for a translation: the calls of the engine, and the items to write with the texts of their payloads. */
interface LeastWork {
  readonly batches: readonly TranslationBatch[];
  readonly chunks: readonly { readonly data: unknown; readonly text: string }[];
}

/**
 * Compares the automatic translation of 29,484 segments into four languages with its least work: the same calls of the
 * pseudo engine, and the compression and the writing of the same chunks, each in a commit.
 */
export async function translation(): Promise<Row[]> {
  using store = openStore();
  using floorStore = openStore();
  const work = await recordWork(store);
  let runs = 0;
  const floor = () => doWork(floorStore, work, `floor/${++runs}`);
  const translate = async () => (await translateAll(store, pseudoEngine)).ms;
  const medianOf = await interleave([floor, translate], ROUNDS);
  const what = 'translate 29,484 segments into 4 languages';
  return [{ what, unit: 'ms', floor: medianOf(floor), segue: medianOf(translate), target: TARGET }];
}

/** Translates a project, and returns what its worker had to do. */
async function recordWork(store: OpenStore): Promise<LeastWork> {
  const batches: TranslationBatch[] = [];
  const { id } = await translateAll(store, {
    ...pseudoEngine,
    translate(batch, call) {
      batches.push(batch);
      return pseudoEngine.translate(batch, call);
    },
  });
  const chunks: { data: unknown; text: string }[] = [];
  for await (const item of eachItem(store.sqlite, companyPartition(COMPANY), chunkPrefix(id))) {
    const whole = await store.sqlite.readWithPayload(item);
    chunks.push({ data: item.data, text: plainBytes(Buffer.from(whole?.bytes ?? [])).toString() });
  }
  return { batches, chunks };
}

/** Does the work, and returns how long it takes, in milliseconds. */
async function doWork({ sqlite }: OpenStore, { batches, chunks }: LeastWork, partition: string): Promise<number> {
  const call = { deadline: minutes(2), signal: new AbortController().signal };
  const { ms } = await timed(async () => {
    for (const batch of batches) await pseudoEngine.translate(batch, call);
    for (const [index, { data, text }] of chunks.entries()) {
      const { bytes } = await encodeText(text);
      await sqlite.commit({ writes: [{ kind: 'insert', key: { partition, sort: String(index) }, data, bytes }] });
    }
  });
  return ms;
}

/** Creates a project. Returns its id, and how long its translation takes, in milliseconds. */
async function translateAll({ sqlite: storage }: OpenStore, engine: TranslationEngine) {
  const now = Date.now;
  const service = hostedService({ storage, now, random: Math.random, newEventId: randomUUID });
  const project = checkProject(cldrAutomatic(4), { nowMs: now(), toleranceMs: LIMITS.startDateToleranceMs });
  const call = { companyId: COMPANY, requestId: 'bench', requestedBy: { kind: 'workflow', id: null } } as const;
  const { id } = await service.create(project, { ...call, deadline: minutes(1) });
  const worker = jobWorker({
    storage,
    now,
    sleep: setTimeout,
    newEventId: randomUUID,
    translate: (request) => translateSegments(engine, reader, request),
    onAttempt: (_, { error }) => {
      if (error !== undefined) throw error;
    },
  });
  const { ms } = await timed(() => worker.workOnDue(minutes(2)));
  const { total } = await service.progress({ id }, undefined, { ...call, deadline: minutes(1) });
  if (total !== 100) throw new Error(`The translation ended at ${total} %`);
  return { id, ms };
}

function minutes(count: number): Deadline {
  return deadlineAt(Date.now() + count * 60_000, Date.now);
}
