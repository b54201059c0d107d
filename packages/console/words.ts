import { isProblemType, PROBLEMS } from '../../lib/contract/problems.ts';
import type { DeliveryKind, DeliveryReport, SourceReport, TestRefusal } from '../client/administration.ts';
import type { SegueError } from '../client/index.ts';
import type { Tone } from './design/status.tsx';

/** Words for codes of the API. A newer Segue may have further codes, which the console shows as they are. */
type Words = Readonly<Record<string, string>>;

/** Returns the words for a code, or the code itself. */
export function wordsFor(words: Words, code: string): string {
  return Object.hasOwn(words, code) ? (words[code] ?? code) : code;
}

/** Returns the tone of a code; the plain one if it is not known. */
export function toneOf(tones: Readonly<Record<string, Tone>>, code: string): Tone {
  return Object.hasOwn(tones, code) ? (tones[code] ?? 'plain') : 'plain';
}

/** What the console calls the states of a delivery. */
export const STATES: Readonly<Record<DeliveryKind, string>> = {
  open: 'Open',
  done: 'Done',
  dead: 'Failed',
  dropped: 'Dropped',
};

/** How much the states of a delivery matter. */
export const STATE_TONES: Readonly<Record<DeliveryKind, Tone>> = {
  open: 'info',
  done: 'ok',
  dead: 'fault',
  dropped: 'plain',
};

/** Says what became of a message of a webhook source. */
export function messageOutcome({ state, problem }: Pick<DeliveryReport, 'state' | 'problem'>): string {
  if (state !== 'dead') return MESSAGE_OUTCOMES[state];
  return problem === 'invalid-project' ? 'No project was created' : 'The message was not processed';
}

const MESSAGE_OUTCOMES: Readonly<Record<Exclude<DeliveryKind, 'dead'>, string>> = {
  open: 'The message is being processed',
  done: 'The message was processed',
  dropped: 'The message was dropped',
};

/** Says what became of a delivery to a destination. */
export const RESULT_OUTCOMES: Readonly<Record<DeliveryKind, string>> = {
  open: 'The translation is being delivered',
  done: 'The translation was delivered',
  dead: 'The translation was not delivered',
  dropped: 'The translation was dropped',
};

/** What the console calls the states of a target language. */
export const LANGUAGE_STATES: Words = {
  InProgress: 'In progress',
  InPreparation: 'In preparation',
};

/** What the console calls the statuses of a translation. */
export const TRANSLATION_STATUSES: Words = {
  untranslated: 'Not translated',
  draft: 'Draft',
  automatic: 'Automatic',
  pretranslated: 'Taken over',
  translated: 'Translated',
  proofread: 'Proofread',
};

/** How finished the statuses of a translation are. */
export const TRANSLATION_TONES: Readonly<Record<string, Tone>> = {
  draft: 'warning',
  automatic: 'info',
  pretranslated: 'info',
  translated: 'ok',
  proofread: 'ok',
};

/** What to do after a request of the console failed, by the type of the problem. */
const AFTER_PROBLEMS: Words = {
  unauthenticated: 'Enter both as you got them. If the key is lost, the operator of Segue makes a new one.',
  'scope-missing': 'Ask the operator of Segue for a key with this scope, and sign in with it.',
  'project-not-found': 'It may be deleted. Look for it in the list of projects.',
  'project-deleted': 'A deletion cannot be undone. To get the project back, create it again.',
  'operation-not-found': 'Check the id. Segue keeps operations only for some days.',
  'page-outdated': 'Load the segments again.',
  'no-answer': 'Check your connection, and that Segue runs. Then try again.',
};

/** Returns what to do after a request of the console failed; nothing if its detail says enough. */
export function nextStepOf({ type, retryable }: Pick<SegueError, 'type' | 'retryable'>): string | undefined {
  if (Object.hasOwn(AFTER_PROBLEMS, type)) return AFTER_PROBLEMS[type];
  return retryable && type !== 'quota-exceeded' ? 'Try again in some minutes.' : undefined;
}

/** Returns the title of a problem type. */
export function titleOf(type: string): string {
  return isProblemType(type) ? PROBLEMS[type].title : type;
}

/** What signs the messages of a source. */
export const SCHEMES: Words = {
  'standard-webhooks': 'Standard Webhooks',
  github: 'GitHub',
  stripe: 'Stripe',
  shopify: 'Shopify',
  contentful: 'Contentful',
  sanity: 'Sanity',
  hygraph: 'Hygraph',
  ghost: 'Ghost',
  slack: 'Slack',
  zendesk: 'Zendesk',
  webflow: 'Webflow',
  storyblok: 'Storyblok',
  woocommerce: 'WooCommerce',
  kontent: 'Kontent.ai',
  hmac: 'HMAC of the body',
  template: 'A signed text of its own form',
  token: 'A fixed secret, without a signature',
};

/** The settings of a scheme. */
export const SCHEME_SETTINGS: Words = {
  header: 'Header',
  algorithm: 'Algorithm',
  encoding: 'Encoding',
  prefix: 'Prefix',
  template: 'Signed text',
  signature: 'Place of the signature',
  timestamp: 'Place of the signed time',
  timeUnit: 'Form of the time',
  id: 'Place of the signed id',
  parts: 'Parts of the header',
  basic: 'User name of Basic authentication',
  query: 'Query parameter',
};

/** What the messages of a source may do. */
const SCOPES: Words = {
  create: 'create projects',
  update: 'update projects',
  delete: 'delete projects and tasks',
};
const ALL_SCOPES = ['create', 'update', 'delete'];

/** Says what the messages of a source may do. */
export function scopesOf({ scopes = ALL_SCOPES }: Pick<SourceReport, 'scopes'>): string {
  return scopes.map((scope) => wordsFor(SCOPES, scope)).join(', ');
}

/** Says what makes two messages of a source the same one. */
export function identityOf({ messageId, identity }: Pick<SourceReport, 'messageId' | 'identity'>): string {
  const otherwise = identity && IDENTITIES[identity.by](identity.minutes);
  if (messageId === undefined) return otherwise ?? 'As the signature says';
  const [kind = '', ...rest] = messageId.split(':');
  const place = kind === 'header' ? `The header ${rest.join(':')}` : `The field ${messageId} of the message`;
  return otherwise === undefined ? place : `${place}. Without it: ${otherwise}`;
}

const IDENTITIES: Readonly<
  Record<NonNullable<SourceReport['identity']>['by'], (minutes: number | undefined) => string>
> = {
  id: () => 'The id that the sender signs',
  body: () => 'The body',
  'body-and-time': () => 'The body with the signed time',
  'body-for-minutes': (minutes) => `An equal body within ${minutes ?? 10} minutes`,
};

/** The events after which a destination gets translations. */
export const EVENTS: Words = {
  'project.created': 'Project created',
  'project.updated': 'Project updated',
  'project.deleted': 'Project deleted',
  'task.deleted': 'Task deleted',
  'language.state-changed': 'State of a language changed',
  'language.completed': 'Language completed',
  'translation.failed': 'Translation failed',
  'task.assigned': 'Task assigned',
  'task.unassigned': 'Task unassigned',
};

/** The roles of an assignee. */
export const ROLES: Words = {
  translator: 'Translator',
  proofreader: 'Proofreader',
  inCountryReviewer: 'In-country reviewer',
};

/** How a delivery to a destination ended that did not fail. */
export const ENDS: Words = {
  sent: 'All requests were sent',
  'no-requests': 'The mapping made no requests',
  superseded: 'A newer event took its place',
  'project-deleted': 'The project was deleted before',
  'language-removed': 'The language was removed from the project before',
  'destination-removed': 'The destination was removed before',
};

/** Why an attempt at a delivery to a destination failed, and what to do. */
export const REASONS: Words = {
  status: 'The receiver refused the request',
  'no-answer': 'The receiver did not answer',
  'address-refused': 'Segue does not send to this address',
  'host-refused': 'The URL has a host that the destination does not allow',
  'invalid-request': 'The mapping returned something that is no request',
  'mapping-failed': 'The mapping failed',
  'no-secret': 'The secret could not be read',
  'project-changing': 'The project changed while Segue read it',
  'too-large': 'The segments of the language are too large for one mapping',
  'content-lost': 'The content of the project is lost',
  'company-suspended': 'The company is suspended',
};

/** What to do before a failed delivery to a destination is sent again. */
export const NEXT_STEPS: Words = {
  status: 'Look into the log of the receiver. Correct the receiver, or ask the operator to correct the mapping.',
  'no-answer': 'Check that the receiver runs, and that this machine reaches it.',
  'address-refused': 'Segue sends only to https at public addresses.',
  'host-refused': 'Ask the operator to correct the mapping, or to allow the host.',
  'invalid-request': 'Ask the operator to correct the mapping.',
  'mapping-failed': 'Ask the operator to correct the mapping.',
  'no-secret': 'Ask the operator to store the secret again.',
  'project-changing': 'Wait until the project is not changed all the time.',
  'too-large': 'Divide the project into several ones.',
  'content-lost': 'Create the project again.',
  'company-suspended': 'The operator can let the company go on.',
};

/** The command with which an operator takes the next step. */
export const NEXT_COMMANDS: Words = {
  status: 'segue destination change --mapping',
  'address-refused': 'npm start -- --allow-loopback-events',
  'host-refused': 'segue destination change --host',
  'invalid-request': 'segue destination change --mapping',
  'mapping-failed': 'segue destination change --mapping',
  'no-secret': 'segue destination rotate',
  'company-suspended': 'segue company resume',
};

/** Why a test has no requests, with what to do. */
export const REFUSALS: Readonly<Record<TestRefusal, string>> = {
  'project-deleted': 'The company has no project with this id or custom id. The page of a project shows both.',
  'language-unknown': 'This is no code of a language. Type a code such as de-DE.',
  'language-removed': 'The project does not have this target language. Its page shows its languages.',
  'page-unavailable':
    'The page that the destination reads first could not be had. The operator can test the destination to see why.',
  'too-large': 'The segments of the language are more than 8 MiB, which is too much for one mapping.',
  'content-lost': 'The content of the project is lost. Choose another project.',
  busy: 'Segue is busy with other projects. Try again.',
  changing: 'The project changes all the time. Try again.',
  'no-secret': 'The secret could not be read. Ask the operator to store it again.',
};
