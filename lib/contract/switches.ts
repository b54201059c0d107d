/**
 * The parts of Segue that a stack has unless its operator switches them off: messages from webhook sources, manifests,
 * and events.
 */
export const SWITCHES = ['webhooks', 'bulk', 'events'] as const;
export type Switch = (typeof SWITCHES)[number];
