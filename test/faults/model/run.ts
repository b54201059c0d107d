import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { Problem } from '../../../lib/contract/problem.ts';
import type { Project } from '../../../lib/contract/project-answer.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import { type CallContext, operationIdOf, type ProjectRef, type ProjectService } from '../../../lib/service/port.ts';
import type { ProjectDocument } from '../../../lib/service/project-document.ts';
import { textOf } from '../snapshot.ts';
import { type Ending, endingOf, START_MS, type World } from '../world.ts';
import {
  type Answer,
  COMPANIES,
  type Command,
  type Company,
  commands,
  fieldsOf,
  type Ref,
  Truth,
  type View,
} from './truth.ts';

/** Sends so many sequences of commands to a service, and compares every answer with the truth. */
export async function checkModel(world: World, sequences: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      world.nowMs = START_MS;
      const actual = new Actual(world);
      const truth = new Truth();
      for (const command of sequence) {
        world.nowMs += command.kind === 'wait' ? command.ms : 1;
        deepStrictEqual(await actual.answer(command), truth.answer(command, world.nowMs));
      }
      for (const company of COMPANIES) {
        deepStrictEqual(await actual.payloads(company), truth.count(company));
      }
    }),
    { numRuns: sequences },
  );
}

/** No project has this id. */
const NOBODY = 1;

/** The service under test, its ids replaced by when a project was made. */
class Actual {
  readonly #world: World;
  readonly #companies: Readonly<Record<Company, string>>;
  readonly #ids: number[] = [];
  #service: ProjectService;

  constructor(world: World) {
    this.#world = world;
    this.#companies = { one: world.newCompany(), two: world.newCompany() };
    this.#service = world.service();
  }

  async answer(command: Command): Promise<Answer> {
    switch (command.kind) {
      case 'create': {
        const project = this.#world.project(fieldsOf(command.body));
        return this.#project(await this.#send(command, (call) => this.#service.create(project, call)));
      }
      case 'get':
        return this.#project(
          await this.#send(command, (call) => this.#service.get(this.#ref(command.ref), command.taskId, call)),
        );
      case 'delete': {
        const ending = await this.#send(command, (call) =>
          this.#service.delete(this.#ref(command.ref), command.scope, call),
        );
        if (ending.is === 'refused') return refusal(ending);
        return this.#receipt(ending.value, ending.is === 'replayed');
      }
      case 'ask':
        return this.#operation(command);
      case 'list':
        return { is: 'list', projects: await this.#list(command.company) };
      case 'restart':
        this.#service = this.#world.service();
        return { is: 'nothing' };
      case 'wait':
        return { is: 'nothing' };
    }
  }

  /** How many payloads the store has of a company once it is swept. */
  async payloads(company: Company): Promise<number> {
    await this.#world.sweep();
    return (await this.#world.payloads(this.#companies[company])).length;
  }

  #send<T>(
    { company, ...rest }: Extract<Command, { readonly company: Company }>,
    request: (call: CallContext) => Promise<T>,
  ): Promise<Ending<T>> {
    const key = 'key' in rest ? rest.key : undefined;
    return endingOf((replayed) => request(this.#world.call(this.#companies[company], key, replayed)));
  }

  #project(ending: Ending<ProjectDocument>): Answer {
    if (ending.is === 'refused') return refusal(ending);
    const { id } = ending.value;
    if (!this.#ids.includes(id)) this.#ids.push(id);
    const project: Project = JSON.parse(textOf(ending.value));
    return { is: 'project', project: viewOf(project, this.#ids.indexOf(id)), replayed: ending.is === 'replayed' };
  }

  #receipt({ projectId, outcome: _, requestedBy: __, ...receipt }: Receipt, replayed: boolean): Answer {
    return { is: 'receipt', receipt: { ...receipt, made: this.#ids.indexOf(projectId) }, replayed };
  }

  async #operation(command: Extract<Command, { kind: 'ask' }>): Promise<Answer> {
    const ending = await this.#send(command, (call) => this.#service.operation(operationIdOf(command.key), call));
    if (ending.is === 'refused') return { is: 'operation', status: 'none', answer: refusal(ending) };
    const { kind: status, ...state } = ending.value;
    const result = 'result' in state ? state.result : 'problem' in state ? state.problem : undefined;
    if (!result) return { is: 'operation', status, answer: { is: 'nothing' } };
    if (result instanceof Problem)
      return { is: 'operation', status, answer: refusal({ is: 'refused', problem: result }) };
    // It gives what a retry is answered.
    const answer = 'json' in result ? this.#project({ is: 'replayed', value: result }) : this.#receipt(result, true);
    return { is: 'operation', status, answer };
  }

  /** Every page of the list, each of two at most. */
  async #list(company: Company): Promise<number[]> {
    const made: number[] = [];
    let after: number | undefined;
    do {
      const page = await this.#service.list({ limit: 2, after }, this.#world.call(this.#companies[company]));
      made.push(...page.projects.map(({ id }) => this.#ids.indexOf(id)));
      after = page.next;
    } while (after !== undefined);
    return made;
  }

  #ref(ref: Ref): ProjectRef {
    return 'made' in ref ? { id: this.#ids[ref.made] ?? NOBODY } : ref;
  }
}

function refusal({ problem }: Extract<Ending<unknown>, { is: 'refused' }>): Answer {
  const { deletedAtUtc } = problem.occurrence;
  return { is: 'problem', problem: problem.name, ...(deletedAtUtc !== undefined && { deletedAtUtc }) };
}

function viewOf({ customId, taskId, segments }: Project, made: number): View {
  return {
    made,
    ...(customId !== undefined && { customId }),
    ...(taskId !== undefined && { taskId }),
    segments: segments.map((segment) => ({
      content: segment.content,
      ...(segment.taskId !== undefined && { taskId: segment.taskId }),
    })),
  };
}
