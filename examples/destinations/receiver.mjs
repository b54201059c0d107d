import { createServer } from 'node:http';

// A receiver of translations on this machine: it prints each request, and answers 200.
const port = Number(process.env.PORT ?? 9100);
const server = createServer(async (request, response) => {
  let body = '';
  for await (const text of request.setEncoding('utf8')) body += text;
  const { authorization = 'no secret' } = request.headers;
  process.stdout.write(`${request.method} ${request.url} (${authorization})\n${body}\n`);
  response.end();
});
server.listen(port, '127.0.0.1', () => {
  process.stdout.write(`The receiver is ready at http://127.0.0.1:${server.address().port}\n`);
});
