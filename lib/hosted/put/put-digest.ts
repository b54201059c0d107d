import { createHash } from 'node:crypto';
import { fingerprintSteps } from '../../idempotency/identity.ts';
import { comparedFields } from '../../idempotency/requests/compared-fields.ts';
import type { PutRequest } from '../../service/put.ts';
import { inTurns, nextTurn } from '../../service/turn.ts';
import { countsIn } from '../project-payload.ts';
import type { StoredProject } from '../read-projects.ts';
import { characterOf } from '../work/status-text.ts';
import { offsetsByPart, type TranslationView } from '../work/translation-view.ts';
import type { PutChange } from './put-change.ts';

/** The project before a put, and what the put changes. */
interface ChangedBefore {
  readonly stored: StoredProject;
  readonly change: PutChange;
  /** Opens the view of the translations before the put. It is opened only if something would be lost. */
  readonly open: () => Promise<TranslationView>;
}

/** The statuses of translations that a person has made. */
const OF_PEOPLE = (['draft', 'translated', 'proofread'] as const).map(characterOf);

/**
 * Makes the digest of a plan: of the request without its start date, and of what the put would lose, which are segments,
 * target languages, and translations of people. So the progress of machines does not change it.
 * @param before absent if the put creates the project
 */
export async function digestOfPut({ project, taskId }: PutRequest, before?: ChangedBefore): Promise<string> {
  const hash = createHash('sha256');
  hash.update(await inTurns(fingerprintSteps({ project: comparedFields(project), taskId })));
  if (!before) return hash.digest('base64url');
  const { stored, change, open } = before;
  const lost = [...change.removed, ...change.changed].sort((one, other) => one - other);
  const kept = new Set(change.head.targetLanguages.map(({ targetLanguageId }) => targetLanguageId));
  hash.update(JSON.stringify([stored.id, change.removed.map((position) => change.layout.at(position).id)]));
  const languages = stored.work.languages.filter(({ languageId }) => lost.length > 0 || !kept.has(languageId));
  if (languages.length === 0) return hash.digest('base64url');
  const view = await open();
  const counts = countsIn(stored.record.payload);
  const all = Array.from({ length: view.layout.size }, (_, position) => position);
  for (const { languageId } of languages) {
    const parts = await view.language(languageId);
    hash.update(`;${languageId}:`);
    for (const [part, offsets] of offsetsByPart(counts, kept.has(languageId) ? lost : all)) {
      const translations = parts[part];
      for (const offset of offsets) {
        const status = translations?.statuses[offset] ?? '';
        if (OF_PEOPLE.includes(status)) hash.update(`${part}/${offset}=${status}${translations?.version(offset)},`);
      }
    }
    // There may be 150 languages with 50,000 segments each. Other requests run before the next one.
    await nextTurn();
  }
  return hash.digest('base64url');
}
