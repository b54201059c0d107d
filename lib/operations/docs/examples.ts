import type { OperationStarted, TokenAnswer, ValidAnswer } from '../../contract/answers.ts';
import { checkProject } from '../../contract/check-project.ts';
import type { PublishedEvent } from '../../contract/event.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Project } from '../../contract/project-answer.ts';
import type { Receipt } from '../../contract/receipt.ts';
import { projectFrom } from '../../service/project-from.ts';
import type { PutPlan } from '../../service/put.ts';
import type { Removal } from '../../service/removal-plan.ts';

/** The URL of the problem pages in the examples. */
export const PROBLEMS_URL = 'https://projects.example.com/problems';

const CREATED_MS = Date.UTC(2026, 10, 20, 9, 37, 30, 972);
const FIRST_ID = 228899643141235;

/** An example body of a request that creates a project. */
export const request = {
  customId: 'cms/4711',
  name: 'Spring catalogue',
  startDateUtc: '2026-11-20T09:37:30Z',
  endDateUtc: '2099-12-31T12:00:00Z',
  sourceLanguageCode: 'en-GB',
  targetLanguages: [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }],
  segments: [{ content: '<p>Hello, world!</p>', taskId: 'front-page' }],
};

const clock = { nowMs: CREATED_MS, toleranceMs: LIMITS.startDateToleranceMs };
export const project: Project = projectFrom(checkProject(request, clock), FIRST_ID, CREATED_MS);
const { segments: _, ...withoutSegments } = project;
export const head = withoutSegments;

export const segment = { id: FIRST_ID + 2, content: '', ...project.segments[0] };
export const german = { languageId: 53, languageCode: 'de-DE' };
export const event: PublishedEvent = {
  id: '0f0e5bd8-4b58-4b5e-9f6b-0c1f5a3f8a11-42',
  type: 'language.completed',
  timestamp: '2026-11-20T09:38:02.104Z',
  sequence: 2,
  data: { projectId: FIRST_ID, ...german, segments: 1 },
};
export const receipt: Receipt = {
  scope: 'task',
  projectId: FIRST_ID,
  customId: request.customId,
  taskId: 'front-page',
  outcome: 'deleted',
  deletedAtUtc: '2026-11-20T09:37:31.439Z',
  removed: { targetLanguages: 0, segments: 1, tasks: 1 },
  requestedBy: { kind: 'key', id: '7Gd0aPqXe2Lm' },
};
export const removal: Removal = {
  projectId: FIRST_ID,
  customId: request.customId,
  taskId: 'front-page',
  removes: receipt.removed,
};
export const valid: ValidAnswer = {
  valid: true,
  segments: 1,
  targetLanguages: 1,
  characters: 20,
  quote: {
    words: 2,
    characters: 20,
    repeats: 0,
    automaticTranslation: { engine: 'deepl', characters: 20, cost: { amount: 0.0004, currency: 'EUR' } },
  },
};
export const started: OperationStarted = {
  operationId: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  status: 'done',
};
export const tokens: TokenAnswer = { AccessToken: '<ACCESS_TOKEN>', RefreshToken: '<REFRESH_TOKEN>', expiresIn: 1800 };
export const putPlan = {
  projectId: FIRST_ID,
  outcome: 'update',
  segments: { kept: 11, changed: 1, added: 2, removed: 0 },
  targetLanguages: { kept: 1, added: 0, removed: 0 },
  automaticCharacters: 96,
  digest: 'mR3xWnP1cJ7e9oK2vQhYtA',
} as const satisfies PutPlan;
