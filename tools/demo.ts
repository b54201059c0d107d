import { SegueClient } from '../packages/client/segue-client.ts';
import { type StartedGateway, startGateway } from '../test/support/gateway.ts';

/**
 * `npm run demo` shows what retries do at a service that loses answers, without Segue and with it. README shows its
 * output.
 */

const PROJECTS = 50;
const FAULTS = ['--seed', '7', '--fault', 'reset-after-commit=0.2'];
const AT_ONCE = 5;

const project = JSON.stringify({
  name: 'Spring catalogue',
  startDateUtc: new Date().toISOString(),
  endDateUtc: '2099-12-31T12:00:00Z',
  sourceLanguageCode: 'en-GB',
  targetLanguages: [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }],
  segments: [{ content: 'Hello, world!' }],
});

console.log(`This service loses one answer in five: it creates the project, and then closes the connection.
Each client creates ${PROJECTS} projects, and repeats a request that gets no answer.`);

await compare('Without Segue', createProjects);
await compare('With Segue in front of the same service', async (service) => {
  const segue = await startGateway({ upstream: service });
  try {
    return await createProjects(segue);
  } finally {
    await segue.stop();
  }
});

interface Tally {
  created: number;
  retries: number;
}

/** Runs one of the clients against a service of its own, and prints how many projects that service has afterwards. */
async function compare(title: string, run: (service: StartedGateway) => Promise<Tally>): Promise<void> {
  const service = await startGateway({ script: 'simulator', args: FAULTS });
  try {
    const { created, retries } = await run(service);
    let stored = 0;
    // The service loses answers to reads too, and this client repeats them.
    for await (const _ of new SegueClient({ ...service, baseUrl: service.url }).eachProject()) stored += 1;
    console.log(`
${title}:
  answers "201 Created"     ${created}
  retries by the client     ${retries}
  projects at the service   ${stored}${stored > created ? `: ${stored - created} too many` : ''}`);
  } finally {
    await service.stop();
  }
}

/** Creates projects, and repeats each request until it is answered. */
async function createProjects({ url, authorization }: StartedGateway): Promise<Tally> {
  const tally: Tally = { created: 0, retries: 0 };
  let left = PROJECTS;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) {
        let response = await post(url, authorization);
        for (; !response; response = await post(url, authorization)) tally.retries += 1;
        if (response.status !== 201) throw new Error(`The answer to a create is ${response.status}`);
        tally.created += 1;
      }
    }),
  );
  return tally;
}

/** Sends one request. @returns `undefined` if the connection is closed without an answer */
function post(url: string, authorization: string): Promise<Response | undefined> {
  const headers = { 'Content-Type': 'application/json', Authorization: authorization };
  return fetch(`${url}/segments/projects`, { method: 'POST', headers, body: project }).catch(() => undefined);
}
