import type { JsonObject } from '../support/projects.ts';

/** A request that the public n8n node sends: its docs page says by the name of the call what it gets. */
export interface NodeCall {
  /** What the user does in n8n. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** The path and query. `{id}` stands for the id of a project, and `{customId}` for its custom id. */
  readonly path: string;
  /** The body, without the fields that the node leaves out. */
  readonly body?: (now: Date) => JsonObject;
}

/** What the node says about each target language, whatever the user chooses. */
const SERVICES = { serviceTranslation: true, serviceAutomaticTranslation: true, serviceAdaptiveTranslation: false };
const IN_HOUSE = { ...SERVICES, serviceProofreading: false, managedProject: false };
const PROCESS = '/ProcessManagement/processes/3fa85f64-5717-4562-b3fc-2c963f66afa6';
const SEGMENTS = [
  { content: '<p>Hello, world</p>', customId: 'seg-1' },
  { content: 'Text to translate', customId: 'seg-2', notes: null },
];
/** The members of a team: the node knows no names and addresses. */
const TEAM = [{ id: 7, isProjectManager: false, isTranslator: true, isProofreader: false, isInCountryReviewer: false }];

/** Returns the body of a creation. The end date has no offset, as the node’s date picker leaves it out. */
const creation = (language: JsonObject, fields: JsonObject = {}) => ({
  body: (now: Date): JsonObject => ({
    name: 'Spring catalogue',
    startDateUtc: now.toISOString(),
    endDateUtc: '2099-12-31T12:00:00',
    sourceLanguageCode: 'en-GB',
    targetLanguages: [{ targetLanguageCode: 'de-DE', ...language }],
    segments: SEGMENTS,
    ...fields,
  }),
});

const get = (name: string, path: string): NodeCall => ({ name, method: 'GET', path });
const post = (name: string, path: string, body: Pick<NodeCall, 'body'> = {}): NodeCall => ({
  name,
  method: 'POST',
  path,
  ...body,
});

const PROJECTS = '/segments/projects';
const MANAGED = {
  ...SERVICES,
  serviceProofreading: false,
  serviceScoring: false,
  state: 'InProgress',
  managedProject: true,
};
/** The fields that a user adds and leaves empty. The node sends them. */
const EMPTY = { customField1: '', customField2: '', eventUrl: '', referenceNumber: '', taskId: '' };

/** The requests of the node `TextUnited/n8n-nodes-textunited`. */
export const NODE_CALLS: readonly NodeCall[] = [
  get('Test the credential', PROJECTS),
  get('Choose a language', '/integrations/languages'),
  get('Choose a domain', '/Assets/api/Domains?active=true'),
  get('Choose a team member: users', '/Accounts/Users'),
  get('Choose a team member: collaborators', '/accounts/Collaborators'),
  get('Choose a style guide', '/TextProcessing/StyleGuide'),
  get('Choose a project from the list', PROJECTS),
  post('Managed Translation Project', PROJECTS, creation(MANAGED, { customId: 'TU-Website-7', domainId: 3 })),
  post('Managed Translation Project, with empty fields', PROJECTS, creation(MANAGED, EMPTY)),
  post('In-House Translation Project', PROJECTS, creation({ ...IN_HOUSE, state: 'InProgress', serviceScoring: false })),
  post(
    'In-House Translation Project, with a team',
    PROJECTS,
    creation({ ...IN_HOUSE, state: 'InProgress', serviceScoring: false, team: TEAM, styleGuideId: 5 }),
  ),
  post('Create (Managed Quality Eval)', PROJECTS, creation({ ...IN_HOUSE, serviceScoring: false }, { processId: 1 })),
  post('Create (In-House Quality Eval)', PROJECTS, creation(IN_HOUSE, { processId: 2 })),
  post(
    'Create (In-House Quality Eval), with a team',
    PROJECTS,
    creation({ ...IN_HOUSE, team: TEAM }, { processId: 2 }),
  ),
  get('Get, by id', `${PROJECTS}/{id}`),
  get('Get, by custom id', `${PROJECTS}/custom/{customId}`),
  get('Get Many', PROJECTS),
  get('Get Segments, by id', `${PROJECTS}/{id}/segments`),
  get('Get Segments, by custom id', `${PROJECTS}/custom/{customId}/segments`),
  post('Translate Instantly', '/segments/Translation', {
    body: () => ({
      sourceLanguageCode: 'en-GB',
      targetLanguages: [{ targetLanguageCode: 'de-DE' }],
      segments: SEGMENTS,
    }),
  }),
  get('Process: Get, by GUID', PROCESS),
  get('Process: Get, by project', '/ProcessManagement/processes/project/{id}'),
  post('Process: Finish Glossary', `${PROCESS}/glossary-translated`),
  post('Process: Submit Client Review', `${PROCESS}/client-review`, { body: () => ({ approved: true }) }),
  post('Process: Retry', `${PROCESS}/retry`),
  post('Process: Cancel', `${PROCESS}/cancel`),
];
