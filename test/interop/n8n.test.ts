import axios, { type AxiosRequestConfig } from 'axios';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type StartedGateway, startGateway } from '../support/gateway.ts';

/**
 * Sends the requests of the public n8n node for such a service, `TextUnited/n8n-nodes-textunited` 0.7.0, as n8n sends
 * them: with axios, the API key as a Bearer token, no idempotency key, and no page limits.
 */

let gateway: StartedGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => void (await gateway.stop()));

/** Sends a request as the node does. @throws the error of axios, whose `response.data` the node shows */
async function request(method: 'GET' | 'POST', path: string, body?: object) {
  const options: AxiosRequestConfig = {
    method,
    url: gateway.url + path,
    headers: { Authorization: `Bearer ${gateway.apiKey}`, Accept: 'application/json' },
    ...(body && { data: body }),
  };
  return (await axios.request<unknown>(options)).data;
}

/** The service fields that the node always sends. */
const services = {
  serviceTranslation: true,
  serviceProofreading: false,
  serviceAutomaticTranslation: true,
  serviceAdaptiveTranslation: false,
  serviceScoring: false,
  managedProject: false,
};

/** A project with the fields that the node sends; n8n's date picker leaves out the offset. */
const projectOf = (fields: object) => ({
  name: 'Spring catalogue',
  customId: 'TU-Website-7',
  startDateUtc: new Date().toISOString(),
  endDateUtc: '2099-12-31T12:00:00',
  domainId: undefined,
  sourceLanguageCode: 'en-GB',
  segments: [
    { content: '<p>Hello, world</p>', customId: 'seg-1', notes: undefined },
    { content: 'Text to translate', customId: undefined, notes: 'A note' },
  ],
  ...fields,
});

it('the operations on projects work', async () => {
  const targetLanguages = [{ targetLanguageCode: 'de-DE', ...services, managedProject: true }];
  const created = await request('POST', '/segments/projects', projectOf({ targetLanguages }));
  expect(created).toMatchObject({ name: 'Spring catalogue', customId: 'TU-Website-7' });
  expect(await request('GET', '/segments/projects')).toEqual([expect.objectContaining({ name: 'Spring catalogue' })]);
  const project = await request('GET', '/segments/projects/custom/TU-Website-7');
  expect(project).toMatchObject({ customId: 'TU-Website-7' });
  const { id } = Object(project);
  expect(await request('GET', `/segments/projects/${id}`)).toMatchObject({ id });
  for (const path of [`/segments/projects/${id}/segments`, '/segments/projects/custom/TU-Website-7/segments']) {
    expect(await request('GET', path)).toHaveLength(2);
  }
});

it('the list of languages fills the fields of the node', async () => {
  expect(await request('GET', '/integrations/languages')).toContainEqual(
    expect.objectContaining({ langCode: 'de-DE', descriptiveName: expect.any(String) }),
  );
});

it('the node can show what is wrong', async () => {
  // The node gives a member’s id alone. The contract requires the name and the e-mail address, too.
  const team = [
    { id: 7, isProjectManager: false, isTranslator: true, isProofreader: false, isInCountryReviewer: false },
  ];
  const targetLanguages = [{ targetLanguageCode: 'de-DE', state: 'InProgress', ...services, team }];
  const wrong = request('POST', '/segments/projects', projectOf({ customId: undefined, targetLanguages }));
  const errors = ['name', 'username'].map((name) => ({ pointer: `/targetLanguages/0/team/0/${name}` }));
  await expect(wrong).rejects.toMatchObject({
    response: { status: 400, data: { title: 'The project is invalid', errors } },
  });
});
