import { checkStart } from '../contract/check.ts';
import { LIMITS } from '../contract/limits.ts';
import type { CheckedProject } from '../contract/project.ts';
import { documentOf, type ProjectDocument } from '../service/document.ts';
import { failures } from '../service/failures.ts';
import type { Call, ProjectPage, ProjectService } from '../service/port.ts';
import { readHeads, readProject } from './answer.ts';
import { type ClientOptions, upstreamClient } from './client.ts';
import { deleteFrom } from './deletion.ts';
import { upstreamFailures } from './failures.ts';
import { CREATE, LIST } from './operations.ts';
import { pageFrom } from './pages.ts';
import { PROJECTS_PATH, pagePath, serviceUrl } from './paths.ts';
import { findProject, getProject } from './reading.ts';
import { unreadable } from './refusal.ts';
import { httpTransport, type Transport } from './transport.ts';

/** What the service behind Segue is reached with. */
export interface UpstreamOptions extends Omit<ClientOptions, 'transport'> {
  /** Where the service is, with or without a slash at the end; a path prefix is kept. */
  readonly baseUrl: string;
  /** How far off a start date may be, in milliseconds; 5 minutes unless given. */
  readonly startDateToleranceMs?: number | undefined;
  /** HTTP unless given. */
  readonly transport?: Transport | undefined;
}

/**
 * The multilingual project service that another server provides, spoken to over HTTP.
 * @throws {TypeError} where the base URL cannot be used
 */
export function upstreamService(options: UpstreamOptions): ProjectService {
  const { baseUrl, now, startDateToleranceMs = LIMITS.startDateToleranceMs } = options;
  const transport = options.transport ?? httpTransport(serviceUrl(baseUrl), now);
  const client = upstreamClient({ ...options, transport });

  async function create(project: CheckedProject, call: Call): Promise<ProjectDocument> {
    checkStart(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
    const answer = await client({ operation: CREATE, path: PROJECTS_PATH, sent: project }, call);
    const created = readProject(answer);
    if (!created) throw unreadable(answer, CREATE);
    return documentOf(created);
  }

  /** Asks nothing but whether the custom id is free: a service that does not know `validateOnly` would create. */
  async function validate(project: CheckedProject, call: Call): Promise<void> {
    checkStart(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
    const { customId } = project;
    if (customId !== undefined && (await findProject(client, { customId }, call))) throw failures.customIdInUse();
  }

  async function list(page: { limit: number; after?: number | undefined }, call: Call): Promise<ProjectPage> {
    const answer = await client({ operation: LIST, path: pagePath(page) }, call);
    const heads = readHeads(answer);
    if (!heads) throw unreadable(answer, LIST);
    const { link } = answer.headers;
    const result = pageFrom(heads, typeof link === 'string' ? link : link?.join(), page);
    if (!result)
      throw upstreamFailures.invalid('The service has further pages, and its link to them cannot be followed.');
    return result;
  }

  return {
    startDateToleranceMs,
    create,
    validate,
    list,
    get: async (ref, taskId, call) => documentOf(await getProject(client, ref, taskId, call)),
    delete: (ref, scope, call) => deleteFrom(client, ref, scope, call, now),
  };
}
