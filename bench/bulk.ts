import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkProject } from '../lib/contract/check-project.ts';
import { parseJson } from '../lib/contract/json.ts';
import { LIMITS } from '../lib/contract/limits.ts';
import { hostedService } from '../lib/hosted/service.ts';
import { deadlineAt } from '../lib/service/deadline.ts';
import { runLocally } from '../packages/cli/bulk/run-locally.ts';
import { ProgressLine } from '../packages/cli/progress-line.ts';
import { smallProject } from '../test/support/projects.ts';
import { interleave, timed } from './support/statistics.ts';
import { openStore } from './support/store.ts';
import type { Row } from './support/table.ts';

const TARGET = { atLeast: 0.25 };
const ROUNDS = { rounds: 5, warmUp: 1 };
const LINES = 500;
const CONCURRENCY = 8;
const COMPANY = 'bench';

/** Compares how many small projects a second are created, by a manifest and by the bare service from the same texts. */
export async function bulk(): Promise<Row[]> {
  using store = openStore();
  const service = hostedService({ storage: store.sqlite, now: Date.now, random: Math.random, newEventId: randomUUID });
  const perSecond = async (work: () => Promise<unknown>) => (LINES * 1_000) / (await timed(work)).ms;

  async function bare(): Promise<number> {
    const texts = linesOfNow();
    const createNext = async () => {
      for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
        const clock = { nowMs: Date.now(), toleranceMs: LIMITS.startDateToleranceMs };
        const project = checkProject(parseJson(Buffer.from(text)), clock);
        const deadline = deadlineAt(Date.now() + 10_000, Date.now);
        await service.create(project, {
          companyId: COMPANY,
          requestId: 'bench',
          requestedBy: { kind: 'workflow', id: null },
          deadline,
        });
      }
    };
    return perSecond(() => Promise.all(Array.from({ length: CONCURRENCY }, createNext)));
  }

  async function manifest(): Promise<number> {
    const path = join(store.folder, 'manifest.jsonl');
    writeFileSync(
      path,
      linesOfNow()
        .map((text) => `{"create":${text}}\n`)
        .join(''),
    );
    const report = { print: () => {}, err: () => {}, progress: new ProgressLine(undefined) };
    const asked = {
      path,
      run: randomUUID(),
      validateOnly: false,
      companyId: COMPANY,
      concurrency: CONCURRENCY,
    } as const;
    const whole = { toleratedPercent: 0, upstream: undefined, report, stop: new AbortController().signal };
    return perSecond(async () => {
      const { end, failed } = await runLocally({ service, requireCompany: async () => {} }, { ...asked, ...whole });
      if (end !== 'all-done' || failed > 0)
        throw new Error(`The manifest did not run completely: ${end}, ${failed} lines failed`);
    });
  }

  const medianOf = await interleave([bare, manifest], ROUNDS);
  const what = `lines of a manifest, ${CONCURRENCY} at once`;
  return [{ what, unit: '/s', floor: medianOf(bare), segue: medianOf(manifest), target: TARGET }];
}

/** Returns the JSON of projects that start now, one text for each. A start date must be close to the current time. */
function linesOfNow(): string[] {
  return Array.from({ length: LINES }, () => JSON.stringify(smallProject()));
}
