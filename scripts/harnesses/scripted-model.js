// A scripted model on loopback, with the four APIs that harnesses use: Anthropic's messages, OpenAI's responses and chat
// completions, Google's generateContent. It keeps the requests.
import { createServer } from 'node:http';

/**
 * Each step is `{ bash: LINE }` or `{ text: TEXT }`; the last one is said again and again. Only requests that come with a
 * shell tool take a step: harnesses ask for titles and the like as well.
 *
 * @returns {Promise<{ url: string, asked: string[], script(steps: object[]): void, close(): void }>} `asked` has the
 *   body of each request that took a step.
 */
export async function scriptedModel() {
  let steps = [];
  let taken = 0;
  const asked = [];
  const next = (body) => {
    asked.push(JSON.stringify(body));
    const step = steps[Math.min(taken, steps.length - 1)] ?? { text: 'Done.' };
    taken += 1;
    return { ...step, id: `${Date.now()}_${asked.length}` };
  };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const [path = ''] = (request.url ?? '').split('?');
      const api = APIS.find(({ ending }) => ending.test(path));
      if (api === undefined) return response.writeHead(404).end('{}');
      api.answer({ path, body: text === '' ? {} : JSON.parse(text), next, response });
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    asked,
    script: (more) => {
      steps = more;
      taken = 0;
      asked.length = 0;
    },
    close: () => server.close(),
  };
}

const TITLE = { text: 'A title', id: 'title' };
const USAGE = { input_tokens: 10, output_tokens: 5 };

const APIS = [
  {
    ending: /\/count_tokens$/,
    answer: ({ response }) => json(response, { input_tokens: 10 }),
  },
  { ending: /\/messages$/, answer: messages },
  { ending: /\/responses$/, answer: responses },
  { ending: /\/chat\/completions$/, answer: chatCompletions },
  { ending: /\/models\/[^/:]+:\w+$/, answer: generateContent },
];

function messages({ body, next, response }) {
  const hasShell = (body.tools ?? []).some(({ name }) => name === 'Bash');
  const { id, bash, text } = hasShell ? next(body) : TITLE;
  const input = { command: bash, description: 'A step' };
  const block = bash
    ? { type: 'tool_use', id: `toolu_${id}`, name: 'Bash', input }
    : { type: 'text', text };
  const stop_reason = bash ? 'tool_use' : 'end_turn';
  const message = {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    stop_sequence: null,
    usage: USAGE,
  };
  if (!body.stream) return json(response, { ...message, content: [block], stop_reason });
  const send = events(response);
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  send('content_block_start', {
    index: 0,
    content_block: bash ? { ...block, input: {} } : { type: 'text', text: '' },
  });
  send('content_block_delta', {
    index: 0,
    delta: bash
      ? { type: 'input_json_delta', partial_json: JSON.stringify(input) }
      : { type: 'text_delta', text },
  });
  send('content_block_stop', { index: 0 });
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: USAGE });
  send('message_stop', {});
  response.end();
}

function responses({ body, next, response }) {
  const { id, bash, text } = next(body);
  const names = (body.tools ?? []).map(({ name }) => name);
  const call = names.includes('exec_command')
    ? { name: 'exec_command', arguments: JSON.stringify({ cmd: bash }) }
    : { name: 'shell_command', arguments: JSON.stringify({ command: bash }) };
  const item = bash
    ? { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, ...call }
    : {
        type: 'message',
        id: `msg_${id}`,
        role: 'assistant',
        content: [{ type: 'output_text', text }],
      };
  const usage = {
    ...USAGE,
    input_tokens_details: null,
    output_tokens_details: null,
    total_tokens: 15,
  };
  const send = events(response);
  send('response.created', { response: { id } });
  send('response.output_item.done', { output_index: 0, item });
  send('response.completed', { response: { id, usage } });
  response.end();
}

function chatCompletions({ body, next, response }) {
  const names = (body.tools ?? []).map((tool) => tool.function?.name);
  const name = names.find((one) => /^(?:[bB]ash|run_shell_command)$/.test(one));
  const { id, bash, text } = name ? next(body) : TITLE;
  const isOfQwen = name === 'run_shell_command';
  const args = { command: bash, description: 'A step', ...(isOfQwen && { is_background: false }) };
  const call = { name, arguments: JSON.stringify(args) };
  const delta = bash
    ? {
        role: 'assistant',
        tool_calls: [{ index: 0, id: `call_${id}`, type: 'function', function: call }],
      }
    : { role: 'assistant', content: text };
  const finish_reason = bash ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const base = { id, created: 1, model: body.model };
  if (!body.stream) {
    const choices = [{ index: 0, message: delta, finish_reason }];
    return json(response, { ...base, object: 'chat.completion', choices, usage });
  }
  const chunk = { ...base, object: 'chat.completion.chunk' };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const data of [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ]) {
    response.write(`data: ${JSON.stringify(data)}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}

function generateContent({ path, body, next, response }) {
  const functions = (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []);
  const hasShell = functions.some(({ name }) => name === 'run_shell_command');
  const { id, bash, text } = hasShell ? next(body) : TITLE;
  const args = { command: bash, description: 'A step' };
  const part = bash ? { functionCall: { id, name: 'run_shell_command', args } } : { text };
  const answer = {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  };
  if (path.endsWith(':countTokens')) return json(response, { totalTokens: 10 });
  if (!path.endsWith(':streamGenerateContent')) return json(response, answer);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`data: ${JSON.stringify(answer)}\r\n\r\n`);
}

function json(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function events(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return (type, data) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}
