import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { utc } from '../../lib/contract/date.ts';
import { callContext, checked } from '../lib/support.ts';

it('the worker of the jobs reports a translation that has failed for good', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'segue-jobs-'));
  vi.stubEnv('SEGUE_DATA_DIR', folder);
  vi.stubEnv('SEGUE_TRANSLATION_ENGINE', 'none');
  vi.resetModules();
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const [{ openService }, { openJobWorker }, { closePlatform }] = await Promise.all([
      import('../../functions/compose/hosted.ts'),
      import('../../functions/compose/jobs.ts'),
      import('../../functions/compose/local.ts'),
    ]);
    const service = await openService();
    const targetLanguages = [{ targetLanguageCode: 'de', serviceAutomaticTranslation: true }];
    const dates = { startDateUtc: utc(Date.now()), endDateUtc: utc(Date.now() + 86_400_000) };
    const { id } = await service.create({ ...checked({ targetLanguages }), ...dates }, callContext());
    await openJobWorker().workOnDue({ remainingMs: () => 60_000 });
    closePlatform();
    const lines = write.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines).toContainEqual(
      expect.objectContaining({
        operation: 'translationFailed',
        projectId: id,
        languageCode: 'de',
        cause: expect.objectContaining({ code: 'no-engine' }),
      }),
    );
  } finally {
    write.mockRestore();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  }
});
