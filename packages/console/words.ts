import { isProblemType, PROBLEMS } from '../../lib/contract/problems.ts';
import type {
  CommandReport,
  DeliveryKind,
  DeliveryReport,
  ResultFailureReport,
  SourceReport,
  TestRefusal,
} from '../client/administration.ts';
import type { SegueError } from '../client/index.ts';
import type { Tone } from './design/status.tsx';
import { counted } from './quote.tsx';
import { knownIn, languageName } from './values.ts';

/** Words for codes of the API. A newer Segue may have further codes, which the console shows as they are. */
type Words = Readonly<Record<string, string>>;

/** Returns the words for a code, or the code itself. */
export function wordsFor(words: Words, code: string): string {
  return knownIn(words, code) ?? code;
}

/** Returns the tone of a code; the plain one if it is not known. */
export function toneOf(tones: Readonly<Record<string, Tone>>, code: string): Tone {
  return knownIn(tones, code) ?? 'plain';
}

/** The states of a delivery, and of the commands of a message. */
export type DeliveryState = DeliveryKind | CommandReport['state'];

/** What the console calls the states of a delivery. */
export const STATES: Readonly<Record<DeliveryState, string>> = {
  open: 'Open',
  done: 'Done',
  dead: 'Failed',
  dropped: 'Dropped',
  waiting: 'Waits for the commands before it',
  refused: 'Refused',
};

/** How much the states of a delivery matter. */
export const STATE_TONES: Readonly<Record<DeliveryState, Tone>> = {
  open: 'info',
  done: 'ok',
  dead: 'fault',
  dropped: 'plain',
  waiting: 'plain',
  refused: 'fault',
};

/** Says what became of a message of a webhook source, or why it was not processed. */
export function messageTitle({
  state,
  problem,
  errors = [],
}: Pick<DeliveryReport, 'state' | 'problem' | 'errors'>): string {
  if (problem === undefined) return MESSAGE_OUTCOMES[state];
  return errors.length > 0
    ? `${titleOf(problem)}\u00a0· ${counted(errors.length, 'fault').replace(' ', '\u00a0')}`
    : titleOf(problem);
}

const MESSAGE_OUTCOMES: Readonly<Record<DeliveryKind, string>> = {
  open: 'The message is being processed',
  done: 'The message was processed',
  dead: 'The message was not processed',
  dropped: 'The message was dropped',
};

/** Says what a delivery to a destination is about. */
export function deliveredOf(project: string, languageCode: string | undefined): string {
  return languageCode === undefined ? project : `${project}\u00a0· ${languageName(languageCode)}`;
}

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
  const again = retryable && type !== 'quota-exceeded' ? 'Try again in some minutes.' : undefined;
  return knownIn(AFTER_PROBLEMS, type) ?? again;
}

/** Returns the title of a problem type. */
function titleOf(type: string): string {
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

/** Says what makes two messages of a source the same one. */
export function identityOf({ messageId, identity }: Pick<SourceReport, 'messageId' | 'identity'>): string {
  const { by, minutes } = identity ?? {};
  const otherwise =
    by === 'body-for-minutes' ? `an equal body within ${minutes} minutes` : wordsFor(IDENTITIES, by ?? '');
  if (messageId === undefined) return otherwise;
  const place = messageId.startsWith('header:')
    ? `the header ${messageId.slice('header:'.length)}`
    : `the field ${messageId} of the message`;
  return `${place}; without it: ${otherwise}`;
}

const IDENTITIES: Words = {
  '': 'what the signature says',
  id: 'the id that the sender signs',
  body: 'the body',
  'body-and-time': 'the body with the signed time',
};

/** Says where requests have a secret. */
export const secretIn = (header: string | undefined) => (header === undefined ? 'None' : `In the header ${header}`);

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

/** Why an attempt at a delivery to a destination failed. */
const REASONS: Words = {
  status: 'The receiver refused the request',
  'no-answer': 'The receiver did not answer',
  'address-refused': 'Segue does not send to this address',
  'host-refused': 'The URL has a host that the destination does not allow',
  'invalid-request': 'The mapping returned something that is no request',
  'mapping-failed': 'The mapping failed',
  'fetch-failed': 'The page that the destination reads first could not be read',
  'no-secret': 'The secret could not be read',
  'project-changing': 'The project changed while Segue read it',
  'too-large': 'The segments of the language are too large for one mapping',
  'content-lost': 'The content of the project is lost',
  'company-suspended': 'The company is suspended',
};

/** Says why an attempt failed, with the status of the answer or the code of the network error. */
export function reasonOf({ reason, status, code }: ResultFailureReport): string {
  const words = wordsFor(REASONS, reason);
  const more = status ?? code;
  return more === undefined ? words : `${words} (${more})`;
}

/** What to do before a failed delivery to a destination is sent again. */
export const NEXT_STEPS: Words = {
  status: 'Look into the log of the receiver. Correct it, or ask the operator to correct the mapping.',
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

/** Says why a test has no requests, and what to do. */
export function refusalOf(refusal: TestRefusal): string {
  return REFUSALS[refusal] ?? `${wordsFor(REASONS, refusal)}. ${wordsFor(NEXT_STEPS, refusal)}`;
}

/** The refusals that a delivery does not have. */
const REFUSALS: Partial<Record<TestRefusal, string>> = {
  'project-deleted': 'The project was deleted. Choose another one.',
  'language-unknown': 'Choose another language.',
  'language-removed': 'The project does not have this target language any more.',
  'page-unavailable': 'The page that the destination reads first could not be read.',
  busy: 'Segue is busy with other projects. Try again.',
  changing: 'The project changes all the time. Try again.',
};
