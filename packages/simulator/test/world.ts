import { FaultInjector, type FaultInjectorOptions } from '../fault-injector.ts';
import type { FaultName } from '../faults.ts';
import { randomFrom } from '../random.ts';
import type { ExchangeResult, SimulatorRequest, SimulatorResponse } from '../server.ts';

/** A tiny service for tests of an injector: it only keeps projects by their ids. */
class TinyService {
  readonly projects = new Map<number, { readonly customId: string | undefined; tasks: readonly string[] }>();
  #made = 100;

  readonly answer = async ({ method, path, body }: SimulatorRequest): Promise<SimulatorResponse> => {
    if (method === 'POST') {
      const { customId } = JSON.parse(Buffer.from(body ?? []).toString());
      if (customId !== undefined && this.#find(`custom/${customId}`)) return json(409, { type: 'custom-id-in-use' });
      const id = ++this.#made;
      this.projects.set(id, { customId, tasks: ['t', 'u'] });
      return json(201, this.#fields(id));
    }
    const [, name = '', end, task] =
      /^\/segments\/projects\/?((?:custom\/)?[^/?]*)(?:\/(segments|progress))?(?:\?taskId=(.*))?$/.exec(path) ?? [];
    if (name === '')
      return json(
        200,
        [...this.projects.keys()].map((id) => this.#fields(id)),
      );
    const id = this.#find(decodeURIComponent(name));
    const project = id === undefined ? undefined : this.projects.get(id);
    if (id === undefined || !project) return json(404, { type: 'project-not-found' });
    if (end !== undefined) return json(200, { [end]: id });
    if (method === 'GET') return json(200, this.#fields(id));
    if (task === undefined) this.projects.delete(id);
    else this.projects.set(id, { ...project, tasks: project.tasks.filter((each) => each !== task) });
    return { status: 204, headers: {}, body: new Uint8Array() };
  };

  #find(name: string): number | undefined {
    const [, customId] = /^custom\/(.*)$/.exec(name) ?? [];
    if (customId === undefined) return Number(name);
    return [...this.projects].find(([, project]) => project.customId === customId)?.[0];
  }

  #fields(id: number) {
    return { id, creationDateUtc: '2026-11-20T09:30:00.123Z', ...this.projects.get(id) };
  }
}

function json(status: number, value: unknown): SimulatorResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) };
}

/** Returns an injector in front of a tiny service, with a clock that is moved by hand. */
export function injectorWith(options: Partial<FaultInjectorOptions> = {}) {
  const service = new TinyService();
  const faults: FaultName[][] = [];
  const timers: { readonly atMs: number; readonly wake: () => void }[] = [];
  const clock = {
    nowMs: 1_000_000,
    async advance(ms: number) {
      clock.nowMs += ms;
      for (const { atMs, wake } of timers) if (atMs <= clock.nowMs) wake();
      await new Promise(setImmediate);
    },
  };
  const injector = new FaultInjector({
    service: service.answer,
    random: randomFrom(1),
    rates: {},
    settleLagMs: 2_000,
    now: () => clock.nowMs,
    sleep: (ms) => new Promise((wake) => timers.push({ atMs: clock.nowMs + ms, wake })),
    onFaults: (names) => faults.push([...names]),
    ...options,
  });
  const send = (method: string, path: string, body?: object) =>
    injector.exchange({
      method,
      path: `/segments/projects${path}`,
      headers: { authorization: 'Basic one' },
      body: body && Buffer.from(JSON.stringify(body)),
    });
  return { service, injector, clock, faults, send };
}

/** Returns the answer with which an exchange ended. */
export function answered(ending: ExchangeResult): { readonly status: number; readonly text: string } {
  if (ending.kind !== 'answered') throw new Error(`The exchange ended ${ending.kind}`);
  return { status: ending.response.status, text: Buffer.from(ending.response.body).toString() };
}
