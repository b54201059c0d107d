// Made by `npm run docs` from the routes in `lib/operations`.

/** The operations of Segue, by their ids. */
export const ROUTES = {
  createProject: { method: 'POST', path: '/segments/projects', scope: 'create' },
  listProjects: { method: 'GET', path: '/segments/projects', scope: 'read' },
  getProject: { method: 'GET', path: '/segments/projects/{id}', scope: 'read' },
  getProjectByCustomId: { method: 'GET', path: '/segments/projects/custom/{customId}', scope: 'read' },
  getSegments: { method: 'GET', path: '/segments/projects/{id}/segments', scope: 'read' },
  getSegmentsByCustomId: { method: 'GET', path: '/segments/projects/custom/{customId}/segments', scope: 'read' },
  getProgress: { method: 'GET', path: '/segments/projects/{id}/progress', scope: 'read' },
  getProgressByCustomId: { method: 'GET', path: '/segments/projects/custom/{customId}/progress', scope: 'read' },
  planDeletion: { method: 'GET', path: '/segments/projects/{id}/deletion', scope: 'delete' },
  planDeletionByCustomId: { method: 'GET', path: '/segments/projects/custom/{customId}/deletion', scope: 'delete' },
  deleteProject: { method: 'DELETE', path: '/segments/projects/{id}', scope: 'delete' },
  deleteProjectByCustomId: { method: 'DELETE', path: '/segments/projects/custom/{customId}', scope: 'delete' },
  writeTranslations: { method: 'PATCH', path: '/segments/projects/{id}/translations', scope: 'translate' },
  writeTranslationsByCustomId: { method: 'PATCH', path: '/segments/projects/custom/{customId}/translations', scope: 'translate' },
  changeLanguage: { method: 'PATCH', path: '/segments/projects/{id}/languages/{languageCode}', scope: 'translate' },
  changeLanguageByCustomId: { method: 'PATCH', path: '/segments/projects/custom/{customId}/languages/{languageCode}', scope: 'translate' },
  getOperation: { method: 'GET', path: '/operations/{operationId}', scope: 'read' },
  listEvents: { method: 'GET', path: '/events', scope: 'read' },
  createEventSecret: { method: 'POST', path: '/events/secret', scope: 'manage' },
  listLanguages: { method: 'GET', path: '/integrations/languages', scope: 'read' },
  obtainToken: { method: 'POST', path: '/authentication/token', scope: null },
  refreshToken: { method: 'POST', path: '/authentication/RefreshToken', scope: null },
  obtainOAuthToken: { method: 'POST', path: '/oauth/token', scope: null },
  receiveWebhook: { method: 'POST', path: '/webhooks/{source}', scope: null },
  health: { method: 'GET', path: '/health', scope: null },
  listProblemTypes: { method: 'GET', path: '/problems', scope: null },
  getProblemType: { method: 'GET', path: '/problems/{type}', scope: null },
  getDescription: { method: 'GET', path: '/openapi.json', scope: null },
  getReference: { method: 'GET', path: '/docs', scope: null },
  getReferenceFile: { method: 'GET', path: '/docs/{file}', scope: null },
  getSecurityText: { method: 'GET', path: '/.well-known/security.txt', scope: null },
} as const;

export type OperationId = keyof typeof ROUTES;
