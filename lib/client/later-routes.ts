/** Routes of the contract that its table does not have yet. */
export const LATER_ROUTES = {
  getOperation: { method: 'GET', path: '/operations/{operationId}', scope: 'read' },
  getDescription: { method: 'GET', path: '/openapi.json', scope: null },
  getReference: { method: 'GET', path: '/docs', scope: null },
} as const;
