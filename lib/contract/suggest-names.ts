import { nearest } from './nearest.ts';

/**
 * The names that other translation systems give to the fields and query parameters of the contract, without case and
 * separators. A name may stand for several: a suggestion names those that its object has.
 */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  content: ['text', 'value', 'string', 'source', 'sourcetext', 'message', 'body', 'html', 'copy', 'target'],
  segments: ['strings', 'texts', 'units', 'transunits', 'items', 'keys', 'messages', 'entries', 'contents', 'rows'],
  targetLanguages: ['targets', 'languages', 'locales', 'targetlocales', 'targetlangs', 'langs', 'to'],
  targetLanguageCode: ['language', 'lang', 'locale', 'code', 'languagecode', 'target', 'targetlanguage', 'targetlang'],
  targetLanguageId: ['languageid', 'localeid'],
  languageCode: ['language', 'lang', 'locale', 'code', 'targetlanguagecode', 'target', 'targetlanguage'],
  languageId: ['localeid', 'targetlanguageid'],
  sourceLanguageCode: ['source', 'sourcelanguage', 'sourcelang', 'sourcelocale', 'from', 'languagecode', 'locale'],
  customId: ['id', 'key', 'externalid', 'reference', 'ref', 'slug', 'uid', 'clientid', 'stringid', 'identifier'],
  segmentCustomId: ['customid', 'key', 'externalid', 'stringid'],
  segmentId: ['id'],
  name: ['title', 'projectname', 'label', 'fullname', 'displayname'],
  username: ['email', 'mail', 'emailaddress', 'login', 'user'],
  endDateUtc: ['deadline', 'due', 'duedate', 'dueat', 'end', 'enddate', 'deliverydate', 'enddateutc'],
  startDateUtc: ['start', 'startdate', 'startat', 'begin', 'date', 'createdat', 'creationdate'],
  notes: ['note', 'comment', 'comments', 'context', 'description', 'hint', 'instructions'],
  note: ['notes', 'comment', 'text', 'instruction', 'instructions'],
  languageSpecificNotes: ['languagenotes', 'notesbylanguage'],
  description: ['comment', 'comments', 'notes', 'details', 'instructions', 'brief'],
  additionalInfo: ['instructions', 'notes', 'comment', 'info'],
  team: ['members', 'users', 'translators', 'people', 'assignees', 'vendors'],
  eventUrl: ['webhook', 'webhookurl', 'callback', 'callbackurl', 'notifyurl', 'url'],
  serviceAutomaticTranslation: ['mt', 'machinetranslation', 'automatictranslation', 'pretranslate', 'autotranslate'],
  serviceTranslation: ['translation', 'humantranslation'],
  serviceProofreading: ['proofreading', 'review', 'proofread'],
  isTranslator: ['translator', 'role'],
  isProofreader: ['proofreader', 'reviewer'],
  referenceNumber: ['po', 'ponumber', 'purchaseorder', 'reference'],
  taskId: ['task', 'file', 'filename', 'group', 'namespace', 'job', 'jobid'],
  domainId: ['domain', 'subject'],
  status: ['state'],
  state: ['status'],
  ifVersion: ['version', 'etag'],
  validateOnly: ['dryrun', 'validate', 'test', 'preview'],
  limit: ['pagesize', 'perpage', 'size', 'count', 'max', 'maxresults', 'first'],
  cursor: ['page', 'offset', 'pagetoken', 'nexttoken', 'after', 'start'],
  after: ['since', 'cursor', 'from', 'lasteventid'],
  createdAfter: ['since', 'from', 'createdsince'],
  dueBefore: ['before', 'until', 'deadline', 'due'],
  customIdPrefix: ['prefix', 'search', 'q', 'query'],
  done: ['completed', 'finished', 'complete'],
};

/**
 * Suggests known names for an unknown one, the likeliest first: the same name in another spelling, a name with the same
 * meaning, and names with a similar spelling.
 */
export function suggestNames(name: string, known: readonly string[], count = 3): string[] {
  const plain = plainName(name);
  const alike = known.filter((each) => plainName(each) === plain || SYNONYMS[each]?.includes(plain));
  return [...new Set([...alike, ...nearest(name, known, count)])].slice(0, count);
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}
