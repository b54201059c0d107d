import { utc } from '../../../lib/contract/date.ts';
import { createProject } from '../../../lib/http/operations/create-project.ts';
import { deleteProject, deleteProjectByCustomId } from '../../../lib/http/operations/delete-project.ts';
import { getOperation } from '../../../lib/http/operations/get-operation.ts';
import { getProject, getProjectByCustomId } from '../../../lib/http/operations/get-project.ts';
import { listProjects } from '../../../lib/http/operations/list-projects.ts';
import { operationIdOf } from '../../../lib/service/port.ts';
import { audit } from '../../../lib/upstream/audit.ts';
import { upstreamService } from '../../../lib/upstream/service.ts';
import { asObject, type Json, type JsonObject, smallProject } from '../../support/projects.ts';
import { contextOf, type EventOptions, eventOf, readAnswer } from '../http/fixture.ts';
import { playAccount } from './played-account.ts';
import { SETTLE_MS, World } from './world.ts';

const HANDLERS = {
  createProject,
  getProject,
  getProjectByCustomId,
  deleteProject,
  deleteProjectByCustomId,
  listProjects,
  getOperation,
};

const COMPANY = 'acme';

/** The HTTP door of Segue in front of a played service that may answer oddly, all in this process. */
export class OddWorld {
  readonly world = new World();
  readonly account = playAccount({ now: this.world.now, firstId: 1_000 });
  readonly service = upstreamService({
    client: this.account.client,
    storage: this.world.storage,
    now: this.world.now,
    sleep: this.world.sleep,
    newId: () => `id-${++this.#ids}`,
    propagationMs: SETTLE_MS,
  });
  #ids = 0;

  /** A project to create, which may be sent at any time. */
  project(fields: JsonObject = {}): JsonObject {
    return smallProject({ startDateUtc: utc(this.world.nowMs), endDateUtc: '2059-01-01T00:00:00Z', ...fields });
  }

  async ask(id: keyof typeof HANDLERS, event: EventOptions = {}) {
    const handler = HANDLERS[id](this.service, { now: this.world.now, log: () => {} });
    return readAnswer(await handler(eventOf(id, event), contextOf()));
  }

  /** Sends a project with a key, which names its operation. */
  create(project: JsonObject, key: string, companyId = COMPANY) {
    const authorizer = { companyId, keyId: 'key-1', scopes: 'create' };
    return this.ask('createProject', {
      body: JSON.stringify(project),
      headers: { 'Idempotency-Key': key },
      authorizer,
    });
  }

  operation(key: string) {
    return this.ask('getOperation', { segment: operationIdOf(key) });
  }

  /** What the company's list holds. */
  async list(): Promise<Json> {
    return asObject({ list: (await this.ask('listProjects')).json })['list'] ?? null;
  }

  reconcile() {
    return this.service.reconcile(() => true);
  }

  /** An audit two hours later, when no project is young. */
  audit() {
    const { storage, nowMs } = this.world;
    const options = { client: this.account.client, storage, customIdPrefix: 'segue', now: () => nowMs + 7_200_000 };
    return audit(options, [COMPANY, 'beta'], { remainingMs: () => 60_000 });
  }
}
