import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { pythonClientGenerator } from './python-client.ts';

const run = promisify(execFile);
const DESCRIPTION = join(import.meta.dirname, '../../lib/contract/openapi.json');

let gateway: StartedGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => void (await gateway.stop()));

/** A program that uses the generated client. */
const PROGRAM = `
import base64, datetime, os
from segue_client import AuthenticatedClient
from segue_client.api.projects import create_project, delete_project, get_project, list_projects, plan_deletion
from segue_client.api.results import get_progress
from segue_client.api.translations import write_translations
from segue_client.models import (
    Problem, Project, ProjectRequest, SegmentRequest, TargetLanguageRequest, TranslationEntry, TranslationEntryStatus,
)

account = f"{os.environ['SEGUE_COMPANY_ID']}:{os.environ['SEGUE_API_KEY']}"
client = AuthenticatedClient(
    base_url=os.environ["SEGUE_URL"], prefix="Basic", token=base64.b64encode(account.encode()).decode()
)
now = datetime.datetime.now(datetime.timezone.utc)
request = ProjectRequest(
    name="Spring catalogue",
    start_date_utc=now,
    end_date_utc=now + datetime.timedelta(days=30),
    source_language_code="en-GB",
    target_languages=[TargetLanguageRequest(target_language_code="de-DE")],
    segments=[SegmentRequest(content="<p>Hello</p>")],
)
assert ProjectRequest.from_dict(request.to_dict()) == request
created = create_project.sync_detailed(client=client, body=request, idempotency_key="order-1")
project = created.parsed
assert isinstance(project, Project)
read = get_project.sync(project.id, client=client)
assert isinstance(read, Project) and read.segments[0].content == "<p>Hello</p>"
entry = TranslationEntry(
    language_code="de-DE",
    content="<p>Hallo</p>",
    status=TranslationEntryStatus.TRANSLATED,
    segment_id=read.segments[0].id,
)
written = write_translations.sync(project.id, client=client, body=[entry])
progress = get_progress.sync(project.id, client=client)
plan = plan_deletion.sync(project.id, client=client)
deleted = delete_project.sync_detailed(project.id, client=client, if_match=f'"{plan.plan}"')
gone = get_project.sync(project.id, client=client)
assert isinstance(gone, Problem)
print(created.status_code.value, len(read.segments), progress.languages[0].progress, plan.removes.segments)
print(deleted.status_code.value, gone.type_.split("/")[-1], gone.retryable, len(list_projects.sync(client=client)))
`;

describe('a client that openapi-python-client generates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'segue-python-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has one type of a project, and creates, reads, translates, plans and deletes', async () => {
    const generator = pythonClientGenerator();
    const output = ['--meta', 'none', '--output-path', join(folder, 'segue_client')];
    await run(generator.program, ['generate', '--path', DESCRIPTION, ...output], { cwd: folder });
    const program = join(folder, 'program.py');
    writeFileSync(program, PROGRAM);
    const account = { SEGUE_URL: gateway.url, SEGUE_COMPANY_ID: gateway.companyId, SEGUE_API_KEY: gateway.apiKey };
    const env = childEnvironment({ ...account, PYTHONDONTWRITEBYTECODE: '1' });
    const { stdout } = await run(join(generator.folder, 'bin', 'python'), [program], { env });
    expect(stdout).toBe('201 1 100 1\n204 project-not-found False 0\n');
  });
});
