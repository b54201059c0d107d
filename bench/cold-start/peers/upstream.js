/**
 * Creates a project at the upstream service.
 * @param {unknown} project the request's body
 * @param {{ companyId: string, apiKey: string }} account the credentials at the upstream service
 */
export async function createUpstream(project, { companyId, apiKey }) {
  const answer = await fetch(`${process.env.SEGUE_UPSTREAM_URL}/segments/projects`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${companyId}:${apiKey}`).toString('base64')}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(project),
  });
  if (answer.status !== 201) throw new Error(`The service answered ${answer.status}`);
  return answer.json();
}
